package dev.monotick.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Runnables to be told of a change. Thread-safe; call {@link #publish} without holding any lock.
 */
final class ListenerList {

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  void add(Runnable listener) {
    listeners.add(listener);
  }

  void remove(Runnable listener) {
    listeners.remove(listener);
  }

  void publish() {
    listeners.forEach(Runnable::run);
  }
}
