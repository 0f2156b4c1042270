package dev.monotick.error;

import java.util.UUID;

/** The store will not have this replica beside those it already knows. Trying again won't help. */
public final class JoinRefusedException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates the refusal of a replica whose name another live one has. */
  public static JoinRefusedException sameName(String name, UUID id, String other) {
    return new JoinRefusedException(
        "replica "
            + name
            + " ("
            + id
            + ") cannot join, because "
            + other
            + " is alive under the same name; give each replica a replicaName of its own, or leave it"
            + " out to get a name that is unique");
  }

  /** Creates a refusal that names the replica in the way and the remedy. */
  public JoinRefusedException(String message) {
    super(message);
  }
}
