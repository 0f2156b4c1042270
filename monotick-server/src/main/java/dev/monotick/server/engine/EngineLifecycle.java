package dev.monotick.server.engine;

import dev.monotick.Monotick;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine after everything it uses, and stops it before: work goes on for the grace
 * period, what has not begun is handed back.
 */
public final class EngineLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(EngineLifecycle.class);

  /** Whether the engine takes work. */
  public enum State {
    /** It does. */
    RUNNING,
    /** It takes none any more, and ends what it has. */
    DRAINING,
    /** It has none any more. */
    STOPPED
  }

  private final Monotick monotick;
  private final Duration grace;
  private final ApplicationEventPublisher events;
  private final AtomicReference<State> state = new AtomicReference<>(State.STOPPED);

  EngineLifecycle(Monotick monotick, Duration grace, ApplicationEventPublisher events) {
    this.monotick = monotick;
    this.grace = grace;
    this.events = events;
  }

  /** Returns whether the engine takes work. */
  public State state() {
    return state.get();
  }

  @Override
  public void start() {
    monotick.start();
    state.set(State.RUNNING);
  }

  @Override
  public void stop() {
    if (state.compareAndSet(State.RUNNING, State.DRAINING)) {
      end();
    }
  }

  /**
   * Hands work over while the process goes on: it takes none any more until it is started again,
   * and says so to whoever balances load. Returns when its work has ended.
   */
  public void drain() {
    if (state.compareAndSet(State.RUNNING, State.DRAINING)) {
      log.info("draining");
      AvailabilityChangeEvent.publish(events, this, ReadinessState.REFUSING_TRAFFIC);
      end();
      log.info("drained; start this process again to have it take work");
    }
  }

  private void end() {
    monotick.stop(grace);
    state.set(State.STOPPED);
  }

  @Override
  public boolean isRunning() {
    return state.get() == State.RUNNING;
  }

  /** After the web server was told to take no more requests. */
  @Override
  public int getPhase() {
    return 0;
  }
}
