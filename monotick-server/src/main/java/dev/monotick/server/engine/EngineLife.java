package dev.monotick.server.engine;

import dev.monotick.Monotick;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine after everything it uses, and stops it before: work goes on for the grace
 * period, what has not begun is handed back.
 */
final class EngineLife implements SmartLifecycle {

  private final Monotick monotick;
  private final Duration grace;
  private volatile boolean running;

  EngineLife(Monotick monotick, Duration grace) {
    this.monotick = monotick;
    this.grace = grace;
  }

  @Override
  public void start() {
    monotick.start();
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    monotick.stop(grace);
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** After the web server was told to take no more requests. */
  @Override
  public int getPhase() {
    return 0;
  }
}
