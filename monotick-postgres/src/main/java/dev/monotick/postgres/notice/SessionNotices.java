package dev.monotick.postgres.notice;

import dev.monotick.event.Subscription;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.Session;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices by LISTEN and NOTIFY, and the presence lock, in one session on a thread of its own.
 *
 * <p>The thread waits in the socket, so a notice arrives at once and costs no query. When nothing
 * came for {@link #QUIET} it asks the server something, because a connection whose other end has
 * vanished looks just like one on which nothing happens. A session that broke is opened again after
 * a pause that grows; then everybody is told that notices may have been missed.
 *
 * <p>The presence lock is taken before anything else in each session. A session that died without
 * the server's knowledge still holds it for a while, so that the next one does not get it at once;
 * until it does, {@link #isPresent} is false. The server gives up on a silent peer of this session
 * only after {@link #PEER_TIMEOUT}, longer than leases commonly last: that the lock is free should
 * mean that the process is gone, not that a cable is loose.
 */
public final class SessionNotices implements Notices {

  private static final Logger log = LoggerFactory.getLogger(SessionNotices.class);

  /** After how long without a notice the server is asked whether it is still there. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** How soon the presence lock is tried again while a former session of ours still holds it. */
  private static final Duration PRESENCE_RETRY = Duration.ofSeconds(1);

  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration PEER_TIMEOUT = Duration.ofSeconds(25);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;

  private static final String PREPARE =
      "select set_config('application_name', ?, false),"
          + " set_config('tcp_keepalives_idle', '10', false),"
          + " set_config('tcp_keepalives_interval', '5', false),"
          + " set_config('tcp_keepalives_count', '3', false),"
          + (" set_config('tcp_user_timeout', '" + PEER_TIMEOUT.toMillis() + "', false),")
          + " set_config('idle_session_timeout', '0', false)";

  private final String channel;
  private final LockKey presence;
  private final Session session;
  private final Listeners listeners = new Listeners();
  private final Listeners lost = new Listeners();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean present;
  private final CountDownLatch firstOpened = new CountDownLatch(1);
  private long pauseMillis; // only the thread's

  private SessionNotices(Database database, SchemaName schema, UUID process) {
    this.channel = "monotick_" + schema.text();
    this.presence = LockKey.of(schema, "replica", process.toString());
    this.session = database.session(this::prepare);
    this.thread = new Thread(this::run, "monotick-notices-" + schema.text());
    thread.setDaemon(true);
  }

  /**
   * Begins to listen, in the background.
   *
   * @param process unique to this store in this process: nobody else may hold its lock
   */
  public static SessionNotices start(Database database, SchemaName schema, UUID process) {
    SessionNotices notices = new SessionNotices(database, schema, process);
    notices.thread.start();
    return notices;
  }

  @Override
  public Subscription listen(String kind, Consumer<Optional<String>> listener) {
    return listeners.add(kind, listener);
  }

  @Override
  public Subscription whenLost(Runnable listener) {
    return lost.add("lost", detail -> listener.run());
  }

  @Override
  public void send(Connection connection, String kind, String detail) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
      notify.setString(1, channel);
      notify.setString(2, payload(kind, detail));
      notify.execute();
    }
  }

  @Override
  public Optional<Notice> notice(String kind, String detail) {
    return Optional.of(new Notice(channel, payload(kind, detail)));
  }

  private static String payload(String kind, String detail) {
    return kind + ':' + detail;
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
    closed.countDown();
    session.close(); // also ends the read the thread waits in
    present = false;
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void run() {
    while (!isClosed()) {
      try {
        session.call("listening for notices", ANSWER_TIMEOUT, this::listen);
      } catch (RuntimeException e) { // whatever it is, the next session may do better
        present = false;
        if (!isClosed()) {
          pause(e);
        }
      }
    }
    present = false;
  }

  /** Done with each new connection. */
  private boolean prepare(Connection connection) throws SQLException {
    try (PreparedStatement settings = connection.prepareStatement(PREPARE)) {
      settings.setString(1, channel + " notices");
      settings.execute();
    }
    takePresence(connection);
    try (Statement listen = connection.createStatement()) {
      return listen.execute("listen \"" + channel + '"');
    }
  }

  private void takePresence(Connection connection) throws SQLException {
    try (Statement lock = connection.createStatement();
        ResultSet taken =
            lock.executeQuery("select pg_try_advisory_lock(" + presence.sql() + ")")) {
      taken.next();
      present = taken.getBoolean(1);
    }
  }

  /** Returns only when closed; a broken connection throws. */
  private boolean listen(Connection connection) throws SQLException {
    opened();
    PGConnection notifications = connection.unwrap(PGConnection.class);
    while (!isClosed()) {
      Duration wait = present ? QUIET : PRESENCE_RETRY;
      PGNotification[] arrived = notifications.getNotifications((int) wait.toMillis());
      if (arrived == null || arrived.length == 0) {
        probe(connection);
      } else {
        for (PGNotification notice : arrived) {
          deliver(notice.getParameter());
        }
        if (!present) {
          takePresence(connection); // not put off by notices that keep coming
        }
      }
    }
    return true;
  }

  private void opened() {
    if (pauseMillis > 0) {
      log.info("notices arrive again channel={}", channel);
    }
    pauseMillis = 0;
    listeners.tellOfGap();
    firstOpened.countDown();
  }

  private void probe(Connection connection) throws SQLException {
    if (!present) {
      takePresence(connection);
      return;
    }
    try (Statement question = connection.createStatement()) {
      question.execute("select 1");
    }
  }

  private void deliver(String payload) {
    int colon = payload.indexOf(':');
    if (colon > 0) { // else not ours; anybody may notify any channel
      listeners.tell(payload.substring(0, colon), payload.substring(colon + 1));
    }
  }

  private void pause(RuntimeException failure) {
    if (pauseMillis == 0) {
      lost.tellOfGap();
      log.warn("notices do not arrive, replicas poll meanwhile channel={}", channel, failure);
    }
    pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, Math.max(FIRST_PAUSE_MILLIS, 2 * pauseMillis));
    long jitter = ThreadLocalRandom.current().nextLong(pauseMillis / 2);
    try {
      boolean unused = closed.await(pauseMillis - jitter, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      log.debug("nobody has a reason to interrupt this thread; it goes on", e);
    }
  }
}
