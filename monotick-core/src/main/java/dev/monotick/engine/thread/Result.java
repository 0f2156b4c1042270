package dev.monotick.engine.thread;

import org.jspecify.annotations.Nullable;

/**
 * What came of a call: a value or a failure.
 *
 * @param <T> type of the value
 */
public final class Result<T> {

  private final @Nullable T value;
  private final @Nullable Throwable failure;

  private Result(@Nullable T value, @Nullable Throwable failure) {
    this.value = value;
    this.failure = failure;
  }

  /** Returns a result that is a value. */
  public static <T> Result<T> of(T value) {
    return new Result<>(value, null);
  }

  /** Returns a result that is a failure. */
  public static <T> Result<T> failed(Throwable failure) {
    return new Result<>(null, failure);
  }

  /** Says whether there is a value. */
  public boolean isValue() {
    return failure == null;
  }

  /** Returns the value. */
  public T value() {
    T result = value;
    if (result == null) {
      throw new IllegalStateException("the call failed", failure);
    }
    return result;
  }

  /** Returns the failure. */
  public Throwable failure() {
    Throwable result = failure;
    if (result == null) {
      throw new IllegalStateException("the call did not fail");
    }
    return result;
  }
}
