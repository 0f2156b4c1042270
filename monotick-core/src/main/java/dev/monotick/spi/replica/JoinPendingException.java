package dev.monotick.spi.replica;

import dev.monotick.error.StoreException;

/**
 * Thrown when a replica cannot join yet, because another one is in its way that may be dead. Try
 * again: within a lease the other one proves that it lives, or is gone.
 */
public final class JoinPendingException extends StoreException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception that names the replica in the way. */
  public JoinPendingException(String message) {
    super(message);
  }
}
