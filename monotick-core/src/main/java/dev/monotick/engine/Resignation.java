package dev.monotick.engine;

import dev.monotick.engine.leader.Elector;
import dev.monotick.engine.leader.HeldTerm;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Hands one leadership over: no new work, wait for the running one, release. */
public final class Resignation {

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(20);

  private final Elector elector;
  private final EngineLoop engine;
  private final @Nullable HeldTerm term;

  public Resignation(Elector elector, EngineLoop engine) {
    this.elector = elector;
    this.engine = engine;
    this.term = elector.term();
  }

  public void begin() {
    HeldTerm held = term;
    if (held != null && !held.isDraining()) {
      held.drain();
      check();
    }
  }

  private void check() {
    if (elector.term() != term) {
      return; // lost meanwhile, in another way
    }
    // Reports on their way are work too: before they arrive, the next leader finds the tick open.
    if (!engine.isQuiet() || engine.bodies().anyRuns(run -> run.claimed().term() == term)) {
      // Bodies have timeouts, so this ends; nobody else minds how fast it is seen.
      engine.context().threads().schedule(CHECK_INTERVAL, this::check);
    } else {
      elector.release(() -> {});
    }
  }
}
