package dev.monotick.postgres.notify;

import dev.monotick.event.EventListener;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Notices by LISTEN and NOTIFY, and the presence lock, in one session on a thread of its own.
 *
 * <p>After a session that broke everybody is told that notices may have been missed.
 *
 * <p>The presence lock is taken before anything else in each session. A session that died without
 * the server's knowledge still holds it for a while, so that the next one does not get it at once;
 * until it does, {@link #isPresent} is false. The server gives up on a silent peer of this session
 * only after longer than leases commonly last: that the lock is free should mean that the process
 * is gone, not that a cable is loose.
 */
public final class PresenceSession implements Notifications {

  /** After how long without a notice the server is asked whether it is still there. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** How soon the presence lock is tried again while a former session of ours still holds it. */
  private static final Duration PRESENCE_RETRY = Duration.ofSeconds(1);

  private final String channel;
  private final LockKey presence;
  private final NotificationListeners listeners = new NotificationListeners();
  private final NotificationListeners lost = new NotificationListeners();
  private final NotificationThread thread;
  private volatile boolean present;
  private final CountDownLatch firstOpened = new CountDownLatch(1);

  private PresenceSession(Database database, SchemaName schema, UUID process) {
    this.channel = "monotick_" + schema.text();
    this.presence = LockKey.of(schema, "replica", process.toString());
    this.thread =
        new NotificationThread(
            database, () -> List.of(channel), "notifications", new SessionOwner());
  }

  /**
   * Begins to listen, in the background.
   *
   * @param process unique to this store in this process: nobody else may hold its lock
   */
  public static PresenceSession start(Database database, SchemaName schema, UUID process) {
    PresenceSession notices = new PresenceSession(database, schema, process);
    notices.thread.start();
    return notices;
  }

  @Override
  public EventListener.Subscription listen(String kind, Consumer<Optional<String>> listener) {
    return listeners.add(kind, listener);
  }

  @Override
  public EventListener.Subscription whenLost(Runnable listener) {
    return lost.add("lost", detail -> listener.run());
  }

  @Override
  public void send(Connection connection, String kind, String detail) throws SQLException {
    new Notification(channel, kind + ':' + detail).send(connection);
  }

  @Override
  public OptionalLong presenceKey() {
    return OptionalLong.of(presence.value());
  }

  @Override
  public boolean isPresent() {
    return present;
  }

  /** Waits until the session is open for the first time; says whether it is. */
  public boolean awaitOpen(Duration atMost) throws InterruptedException {
    return firstOpened.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    thread.close();
    present = false;
  }

  private void takePresence(Connection connection) throws SQLException {
    try (Statement lock = connection.createStatement();
        ResultSet taken =
            lock.executeQuery("select pg_try_advisory_lock(" + presence.sql() + ")")) {
      taken.next();
      present = taken.getBoolean(1);
    }
  }

  /** What the thread tells. */
  private final class SessionOwner implements NotificationThread.Owner {

    @Override
    public void prepare(Connection connection) throws SQLException {
      takePresence(connection);
    }

    @Override
    public void opened() {
      listeners.notifyOfGap();
      firstOpened.countDown();
    }

    @Override
    public void received(Connection connection, Notification notice) throws SQLException {
      String payload = notice.payload();
      int colon = payload.indexOf(':');
      if (colon > 0) { // else not ours; anybody may notify any channel
        listeners.notify(payload.substring(0, colon), payload.substring(colon + 1));
      }
      if (!present) {
        takePresence(connection); // not put off by notices that keep coming
      }
    }

    @Override
    public Duration patience() {
      return present ? QUIET : PRESENCE_RETRY;
    }

    @Override
    public void nothingCame(Connection connection) throws SQLException {
      if (present) {
        NotificationThread.Owner.super.nothingCame(connection);
      } else {
        takePresence(connection);
      }
    }

    @Override
    public void broke(boolean again) {
      present = false;
      if (!again) {
        lost.notifyOfGap();
      }
    }
  }
}
