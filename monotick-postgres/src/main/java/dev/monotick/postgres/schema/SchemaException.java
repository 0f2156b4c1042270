package dev.monotick.postgres.schema;

import dev.monotick.SchedulerException;

/**
 * The database is not fit to be used as it is: trying again won't help before somebody acts. The
 * message says what to do.
 */
public final class SchemaException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates a refusal that names what was found and the remedy. */
  public SchemaException(String message) {
    super(message);
  }

  /** Creates a refusal with the server's own words behind it. */
  public SchemaException(String message, Throwable cause) {
    super(message, cause);
  }
}
