package dev.monotick.server.schedule.fire;

/**
 * Somebody else has taken a schedule since it was read: whatever was to be made of it must not be.
 * A lock on its row keeps that from happening; this is for the day on which one does not hold.
 */
final class StaleFenceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StaleFenceException(String what) {
    super("taken by another replica meanwhile: " + what);
  }
}
