package dev.monotick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Hands one leadership over: no new work, wait for the running one, release. */
final class Resignation {

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private final Elector elector;
  private final EngineLoop engine;
  private final @Nullable Term term;

  Resignation(Elector elector, EngineLoop engine) {
    this.elector = elector;
    this.engine = engine;
    this.term = elector.term();
  }

  void begin() {
    Term held = term;
    if (held != null && !held.isDraining()) {
      held.drain();
      look();
    }
  }

  private void look() {
    if (elector.term() != term) {
      return; // lost meanwhile, in another way
    }
    // Reports on their way are work too: before they arrive, the next leader finds the tick open.
    if (!engine.isQuiet() || engine.bodies().anyRuns(run -> run.claimed().term() == term)) {
      // Bodies have timeouts, so this ends; nobody else minds how fast it is seen.
      engine.context().threads().schedule(LOOK_EVERY, this::look);
    } else {
      elector.release(() -> {});
    }
  }
}
