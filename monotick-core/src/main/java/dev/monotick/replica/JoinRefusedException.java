package dev.monotick.replica;

import dev.monotick.SchedulerException;

/** The store will not have this replica beside those it already knows. Trying again won't help. */
public final class JoinRefusedException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates a refusal that names the replica in the way and the remedy. */
  public JoinRefusedException(String message) {
    super(message);
  }
}
