package dev.monotick.error;

/** The root of everything Monotick throws besides refusals of bad arguments. */
public class SchedulerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception that says what failed, with which value, and what to do next. */
  public SchedulerException(String message) {
    super(message);
  }

  /** Creates an exception with the cause behind it. */
  public SchedulerException(String message, Throwable cause) {
    super(message, cause);
  }
}
