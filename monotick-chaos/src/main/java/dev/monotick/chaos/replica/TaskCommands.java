package dev.monotick.chaos.replica;

import dev.monotick.Monotick;
import dev.monotick.chaos.history.HistoryWriter;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What people ask of an engine while it runs: {@code pause TASK}, {@code resume TASK}, {@code
 * trigger TASK KEY}; and of the process around it: {@code exhaust MILLIS}, which takes away the
 * application's connections. Each is answered in the history, whether it was done or not.
 */
final class TaskCommands {

  private final Monotick engine;
  private final HistoryWriter teller;
  private final AppPool pool;
  // They wait for the store, and that may take longer than the next word.
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "request");
            thread.setDaemon(true);
            return thread;
          });

  TaskCommands(Monotick engine, HistoryWriter teller, AppPool pool) {
    this.engine = engine;
    this.teller = teller;
    this.pool = pool;
  }

  void received(String line) {
    threads.execute(() -> answer(line));
  }

  private void answer(String line) {
    try {
      act(line.split(" ", -1));
      teller.write("answered", "request", line, "done", true);
    } catch (RuntimeException e) {
      teller.write("answered", "request", line, "done", false, "why", e);
    }
  }

  private void act(String[] words) {
    switch (words[0]) {
      case "pause" -> engine.pause(words[1], "chaos", "an edit");
      case "resume" -> engine.resume(words[1]);
      case "trigger" -> engine.trigger(words[1], words[2]);
      case "exhaust" -> pool.exhaust(Duration.ofMillis(Long.parseLong(words[1])));
      default -> throw new IllegalArgumentException("what is " + words[0] + "?");
    }
  }
}
