package dev.monotick.job.store;

import java.util.Set;
import java.util.function.Function;

/** Who is told that there may be new jobs. A hint: it may come too often, or never. */
@FunctionalInterface
public interface ReadyListener {

  /**
   * There may be new jobs.
   *
   * @param queues where; empty for any. Must not block
   */
  void ready(Set<String> queues);

  /**
   * The same, told by a thread that can make a turn at once, sooner than any other: whoever has a
   * turn that waits for just this may have it made, once, before this returns. Where a turn that
   * {@linkplain JobTurn stayed open} was given a job, the answer to it is there already.
   *
   * @param store makes a turn as {@link JobStore#turn} does
   */
  default void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
    ready(queues);
  }
}
