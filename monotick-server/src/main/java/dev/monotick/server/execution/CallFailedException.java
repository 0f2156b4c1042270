package dev.monotick.server.execution;

/** A call that did not come off; the message says why, for people. */
final class CallFailedException extends Exception {

  private static final long serialVersionUID = 1L;

  /** How it failed. */
  enum How {
    /** It must not be made. */
    REFUSED,
    /** No connection came about, so nobody has heard it. */
    CONNECT,
    /** It broke off: it may have been heard, and may have had its effect. */
    BROKEN
  }

  private final How how;

  CallFailedException(How how, String message) {
    super(message, null, false, false);
    this.how = how;
  }

  How how() {
    return how;
  }
}
