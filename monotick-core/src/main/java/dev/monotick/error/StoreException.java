package dev.monotick.error;

/**
 * The store did not answer, or not definitely: what was asked may or may not have happened. The
 * engine asks again and acts on nothing until it knows.
 */
public class StoreException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception that says what was asked of which store. */
  public StoreException(String message) {
    super(message);
  }

  /** Creates an exception with the cause behind it. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
