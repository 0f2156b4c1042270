package dev.monotick.error;

/**
 * The tick is no longer this replica's: a newer term began, or the replica was taken for dead. What
 * the body wrote in the transaction was rolled back. Let it through, and return.
 */
public final class FencedException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates a refusal that names the tick and why it is not this replica's any more. */
  public FencedException(String message) {
    super(message);
  }
}
