package dev.monotick.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Those to be told news. Thread-safe; call {@link #publish} without holding any lock. */
final class MemorySignals<T> {

  private final List<Consumer<T>> listeners = new CopyOnWriteArrayList<>();

  void add(Consumer<T> listener) {
    listeners.add(listener);
  }

  void publish(T news) {
    listeners.forEach(listener -> listener.accept(news));
  }
}
