package dev.monotick.postgres.migration;

import dev.monotick.error.SchedulerException;

/**
 * Thrown when the database cannot be used in its present condition. Retrying does not help; the
 * message says what to change.
 */
public final class SchemaException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the problem and its remedy. */
  public SchemaException(String message) {
    super(message);
  }

  /** Creates an exception caused by an error that the server reported. */
  public SchemaException(String message, Throwable cause) {
    super(message, cause);
  }
}
