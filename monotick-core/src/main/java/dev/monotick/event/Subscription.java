package dev.monotick.event;

/** A listener that was added and can be removed. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

  /** Removes the listener; what is on its way may still arrive. */
  @Override
  void close();
}
