package dev.monotick.testkit;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The way between engines and the store: decides what becomes of each call. */
interface Network {

  /** Every call is answered at once. */
  Network INSTANT =
      new Network() {
        @Override
        public <T> void send(ManualThreads from, Message<T> message) {
          from.execute(
              () -> {
                Result<T> result = message.arrive();
                from.execute(() -> message.reply().handle(result));
              });
        }
      };

  /** Takes a call on its way; its reply is handled once, as an action of the engine, or never. */
  <T> void send(ManualThreads from, Message<T> message);

  /**
   * A call.
   *
   * @param what names it, for people
   * @param timeout how long the engine waits for the answer
   * @param call what happens in the store
   * @param reply takes the answer
   */
  record Message<T>(String what, Duration timeout, Callable<T> call, EngineThreads.Reply<T> reply) {

    /** Has it happen in the store, and returns the answer. */
    Result<T> arrive() {
      try {
        return Result.of(call.call());
      } catch (Exception e) {
        return Result.failed(e);
      }
    }
  }
}
