package dev.monotick.engine.job;

import dev.monotick.spi.job.Completion;
import dev.monotick.spi.replica.MemberId;
import org.jspecify.annotations.Nullable;

/**
 * A run that ended here.
 *
 * @param finish how
 * @param cause why it was stopped, null if it was not
 */
record EndedRun(Completion finish, @Nullable JobCancelReason cause) {

  /** Returns the membership under which the job was claimed. */
  MemberId owner() {
    return finish.job().owner();
  }

  /** Returns how large its result is. */
  int bytes() {
    return finish.result() instanceof Completion.Succeeded success && success.result() != null
        ? success.result().length
        : 0;
  }
}
