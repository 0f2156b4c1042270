package dev.monotick.engine.base;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes something when it is first asked for, once. Thread-safe. */
public final class OnFirstUse<T> implements Supplier<T> {

  private final Supplier<T> maker;
  private @Nullable T made; // guarded by this

  public OnFirstUse(Supplier<T> maker) {
    this.maker = maker;
  }

  @Override
  public synchronized T get() {
    T value = made;
    if (value == null) {
      value = maker.get();
      made = value;
    }
    return value;
  }
}
