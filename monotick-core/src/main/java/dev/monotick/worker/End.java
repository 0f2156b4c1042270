package dev.monotick.worker;

import dev.monotick.job.store.JobFinish;
import dev.monotick.replica.ReplicaId;
import org.jspecify.annotations.Nullable;

/**
 * A run that ended here.
 *
 * @param finish how
 * @param cause why it was stopped, null if it was not
 */
record End(JobFinish finish, @Nullable StopCause cause) {

  /** Returns the membership under which the job was claimed. */
  ReplicaId owner() {
    return finish.job().owner();
  }

  /** Returns how large its result is. */
  int bytes() {
    return finish.end() instanceof JobFinish.Succeeded success && success.result() != null
        ? success.result().length
        : 0;
  }
}
