package dev.monotick.testkit.fault;

import dev.monotick.error.StoreException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The state of one link, and how calls pass it. Thread-safe. */
final class FaultInjector {

  private enum State {
    WHOLE,
    CUT,
    LOSES_REPLIES
  }

  private final String name;
  private volatile State state = State.WHOLE;

  FaultInjector(String name) {
    this.name = name;
  }

  void cut() {
    state = State.CUT;
  }

  void loseReplies() {
    state = State.LOSES_REPLIES;
  }

  void heal() {
    state = State.WHOLE;
  }

  <T> T call(String what, Supplier<T> call) {
    if (state == State.CUT) {
      throw new StoreException(what + " did not reach the store: " + name + " is cut; heal() it");
    }
    T reply;
    try {
      reply = call.get();
    } catch (RuntimeException e) {
      requireReply(what); // a refusal is an answer too, and is lost like any other
      throw e;
    }
    requireReply(what);
    return reply;
  }

  void run(String what, Runnable call) {
    call(
        what,
        () -> {
          call.run();
          return true;
        });
  }

  /** Wraps a listener so that no news comes through a link that is not whole. */
  Runnable listener(Runnable listener) {
    return () -> {
      if (state == State.WHOLE) {
        listener.run();
      }
    };
  }

  /** Wraps a listener that is told something, as {@link #listener(Runnable)}. */
  <T> Consumer<T> listener(Consumer<T> listener) {
    return news -> listener(() -> listener.accept(news)).run();
  }

  /** Makes a call nobody counts on: through a link that is not whole it does not get. */
  void deliver(Runnable call) {
    listener(call).run();
  }

  private void requireReply(String what) {
    if (state != State.WHOLE) {
      throw new StoreException(
          "the reply to " + what + " was lost: " + name + " is not whole; heal() it");
    }
  }

  @Override
  public String toString() {
    return name + " (" + state + ")";
  }
}
