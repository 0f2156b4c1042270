package dev.monotick.server.database;

import dev.monotick.event.EventListener;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.spi.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Tells the other replicas that something was changed, so that they look at once. A notice may get
 * lost, and behind a pooler that keeps no sessions none is ever sent: whoever listens also looks by
 * himself every so often.
 *
 * <p>A commit that notifies waits for all others that do, in one line for the whole database. So a
 * notice is sent after the change was committed, in a statement of its own, on a thread of its own,
 * and one stands for all changes since the last. Thread-safe.
 */
public final class ReplicaNotifications implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ReplicaNotifications.class);

  /** Between two that are sent; what is told meanwhile is in the second. */
  private static final Duration GAP = Duration.ofMillis(100);

  private final Notifications notifications;
  private final DataSource dataSource;
  private final TimeSource time;
  private final String self = UUID.randomUUID().toString();
  private final Set<String> unsent = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean planned = new AtomicBoolean();
  private final ThreadPoolTaskScheduler sender = new ThreadPoolTaskScheduler();
  private volatile long sentAt;

  ReplicaNotifications(Notifications notices, DataSource dataSource, TimeSource time) {
    this.notifications = notices;
    this.dataSource = dataSource;
    this.time = time;
    this.sentAt = time.nanos() - GAP.toNanos();
    sender.setPoolSize(1);
    sender.setThreadNamePrefix("notifications-");
    sender.setDaemon(true);
    sender.initialize();
  }

  /**
   * Has a listener told of what other replicas tell, and when notices may have been missed. It must
   * not block.
   *
   * @param kind letters
   */
  public EventListener.Subscription listen(String kind, Runnable listener) {
    return notifications.listen(
        kind,
        from -> {
          if (from.isEmpty() || !from.get().equals(self)) {
            listener.run();
          }
        });
  }

  /** Tells the others soon. Call it after the commit; it does not wait. */
  public void publish(String kind) {
    unsent.add(kind);
    if (planned.compareAndSet(false, true)) {
      long wait = Math.max(0, GAP.toNanos() - (time.nanos() - sentAt));
      try {
        var unused = sender.getScheduledExecutor().schedule(this::send, wait, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        log.debug("stopping, others will see by themselves");
      }
    }
  }

  private void send() {
    sentAt = time.nanos();
    planned.set(false); // before looking: what is told from now on plans another
    for (String kind : Set.copyOf(unsent)) {
      unsent.remove(kind);
      try (Connection connection = dataSource.getConnection()) {
        notifications.send(connection, kind, self);
      } catch (SQLException e) {
        log.warn("cannot notify other replicas, they will poll: {}", e.toString());
      }
    }
  }

  @Override
  public void destroy() {
    sender.shutdown();
    notifications.close();
  }
}
