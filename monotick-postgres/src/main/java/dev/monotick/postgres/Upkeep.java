package dev.monotick.postgres;

import dev.monotick.SchedulerException;
import dev.monotick.postgres.schema.Maintenance;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the tables maintained at the start and every hour, whether or not any replica leads. At the
 * start, because after days without any replica today's partition is missing: what is claimed
 * before it is there would stay in the partition for everything else.
 */
final class Upkeep implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final long EVERY_SECONDS = 3600;

  private final Maintenance maintenance;
  private final ScheduledThreadPoolExecutor executor;

  Upkeep(Maintenance maintenance) {
    this.maintenance = maintenance;
    run();
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            action -> {
              Thread thread = new Thread(action, "monotick-upkeep");
              thread.setDaemon(true);
              return thread;
            });
    // Replicas that started together do not come together.
    long first = ThreadLocalRandom.current().nextLong(EVERY_SECONDS / 2, EVERY_SECONDS);
    ScheduledFuture<?> unused =
        executor.scheduleWithFixedDelay(this::run, first, EVERY_SECONDS, TimeUnit.SECONDS);
  }

  private void run() {
    try {
      maintenance.run();
    } catch (SchedulerException e) {
      log.warn("the tables could not be maintained, trying again in an hour", e);
    } catch (RuntimeException e) { // or the executor would never call again
      log.error("maintaining the tables failed", e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
