package dev.monotick.postgres.embedded;

import dev.monotick.error.SchedulerException;

/**
 * Thrown when the embedded server cannot be started, found or stopped. The message says what to do,
 * and ends with what the server's log says, where that helps.
 */
public final class EmbeddedPostgresException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, Throwable cause) {
    super(message, cause);
  }
}
