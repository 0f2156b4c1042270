package dev.monotick.postgres.job;

import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobTurn;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The notice that a job was claimed for a replica by the enqueuer, under an open turn. A hint: it
 * may be minutes late, and the claim may be gone by then. The replica reads the claim from the
 * store, as the member it is now, before anything begins.
 *
 * @param replica the membership whose turn it was
 * @param number the number of the turn
 */
record HandOver(ReplicaId replica, long number) {

  /** Returns whether a draft may be handed to a replica: only if its run is all there is to do. */
  static boolean isPossible(List<JobDraft> drafts, boolean isPlain) {
    return isPlain
        && drafts.size() == 1
        && drafts.get(0).limitKey().isEmpty()
        && drafts.get(0).rules().effect() != Effect.AT_MOST_ONCE;
  }

  /** Returns what a notice says, null if it is none of ours. */
  static @Nullable HandOver parse(String text) {
    int space = text.indexOf(' ');
    try {
      return space < 0
          ? null
          : new HandOver(
              new ReplicaId(UUID.fromString(text.substring(0, space))),
              Long.parseLong(text.substring(space + 1)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns whether it is about that turn. */
  boolean concerns(JobTurn turn) {
    return turn.replica().equals(replica) && turn.number() == number;
  }
}
