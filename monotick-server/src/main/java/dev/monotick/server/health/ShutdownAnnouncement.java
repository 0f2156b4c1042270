package dev.monotick.server.health;

import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * At a stop, goes on serving for a while although readiness says no, so that whoever balances load
 * has sent the last request before the last is taken. Spring says no as soon as a stop begins.
 */
@Component
class ShutdownAnnouncement implements SmartLifecycle {

  private final Duration length;
  private volatile boolean running;

  ShutdownAnnouncement(ServerSettings settings) {
    this.length = settings.get(PlatformSettings.SHUTDOWN_ANNOUNCE);
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    try {
      boolean unused = new CountDownLatch(1).await(length.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops before all others. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
