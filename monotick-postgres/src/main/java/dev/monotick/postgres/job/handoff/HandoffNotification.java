package dev.monotick.postgres.job.handoff;

import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.Effect;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The notification that the enqueuer claimed a job for a member, under its offer. A hint: it may be
 * minutes late, and the claim may be gone by then. The replica reads the claim from the store, as
 * the member it is now, before anything begins.
 *
 * @param replica the member that made the offer
 * @param number the number of the offer
 */
public record HandoffNotification(MemberId replica, long number) {

  /** Returns whether a draft may be handed to a replica: only if its run is all there is to do. */
  public static boolean isPossible(List<JobDraft> drafts, boolean isPlain) {
    return isPlain
        && drafts.size() == 1
        && drafts.get(0).limitKey().isEmpty()
        && drafts.get(0).rules().effect() != Effect.AT_MOST_ONCE;
  }

  /** Returns what a notice says, null if it is none of ours. */
  public static @Nullable HandoffNotification parse(String text) {
    int space = text.indexOf(' ');
    try {
      return space < 0
          ? null
          : new HandoffNotification(
              new MemberId(UUID.fromString(text.substring(0, space))),
              Long.parseLong(text.substring(space + 1)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
