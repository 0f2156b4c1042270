package dev.monotick.event;

/**
 * Told what happens on this replica, on a thread of its own, in order. A listener that is more than
 * 10,000 events behind loses the newer ones until it catches up, which is logged.
 */
@FunctionalInterface
public interface EventListener {

  /** Takes an event. Whatever is thrown is logged. */
  void on(MonotickEvent event);

  /** A listener that was added and can be removed. */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {

    /** Removes the listener; what is on its way may still arrive. */
    @Override
    void close();
  }
}
