package dev.monotick.postgres.notice;

import dev.monotick.event.Subscription;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.Session;
import dev.monotick.replica.ReplicaId;
import dev.monotick.time.Ticker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices by LISTEN and NOTIFY, and {@link PresenceLocks}, in one session on a thread of its own.
 *
 * <p>The thread waits in the socket, so a notice arrives at once and costs no query. When nothing
 * came for {@link #QUIET} it asks the server something, because a connection whose other end has
 * vanished looks just like one on which nothing happens. A session that broke is opened again after
 * a pause that grows; then everybody is told that notices may have been missed.
 *
 * <p>The server gives up on a silent peer of this session only after {@link #PEER_TIMEOUT}, longer
 * than leases commonly last: that its locks are free should mean that the process is gone, not that
 * a cable is loose.
 */
public final class SessionNotices implements Notices {

  private static final Logger log = LoggerFactory.getLogger(SessionNotices.class);

  /** After how long without a notice the server is asked whether it is still there. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** How long the thread waits in the socket, where nothing but a notice reaches it. */
  private static final Duration LOOK = Duration.ofMillis(250);

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
  private final PresenceLocks presence;
  private final Ticker ticker;
  private final Session session;
  private final Listeners listeners = new Listeners();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable CountDownLatch connected = new CountDownLatch(1);
  private long pauseMillis; // only the thread's

  private SessionNotices(Database database, SchemaName schema, Ticker ticker) {
    this.channel = "monotick_" + schema.text();
    this.presence = new PresenceLocks(schema);
    this.ticker = ticker;
    this.session = database.session(this::prepare);
    this.thread = new Thread(this::run, "monotick-notices-" + schema.text());
    thread.setDaemon(true);
  }

  /** Begins to listen, in the background. */
  public static SessionNotices start(Database database, SchemaName schema, Ticker ticker) {
    SessionNotices notices = new SessionNotices(database, schema, ticker);
    notices.thread.start();
    return notices;
  }

  @Override
  public Subscription listen(String kind, Consumer<Optional<String>> listener) {
    return listeners.add(kind, listener);
  }

  @Override
  public void send(Connection connection, String kind, String detail) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
      notify.setString(1, channel);
      notify.setString(2, kind + ':' + detail);
      notify.execute();
    }
  }

  /** Held within a moment: the thread takes it when it looks up from its socket. */
  @Override
  public Long enter(ReplicaId replica) {
    return presence.enter(replica);
  }

  @Override
  public void leave(ReplicaId replica) {
    presence.leave(replica);
  }

  @Override
  public boolean isPresent(ReplicaId replica) {
    return presence.isHeld(replica);
  }

  /** Waits until the session is open for the first time; says whether it is. */
  public boolean awaitOpen(Duration atMost) throws InterruptedException {
    CountDownLatch first = connected;
    return first == null || first.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    closed.countDown();
    session.close(); // also ends the read the thread waits in
    presence.lost();
  }

  private void run() {
    while (closed.getCount() > 0) {
      try {
        session.call("listening for notices", ANSWER_TIMEOUT, this::listen);
      } catch (RuntimeException e) { // whatever it is, the next session may do better
        presence.lost();
        if (closed.getCount() > 0) {
          pause(e);
        }
      }
    }
    presence.lost();
  }

  /** Done with each new connection. */
  private boolean prepare(Connection connection) throws SQLException {
    presence.lost();
    try (PreparedStatement settings = connection.prepareStatement(PREPARE)) {
      settings.setString(1, channel + " notices");
      settings.execute();
    }
    presence.settle(connection);
    try (Statement listen = connection.createStatement()) {
      return listen.execute("listen \"" + channel + '"');
    }
  }

  /** Returns only when closed; a broken connection throws. */
  private boolean listen(Connection connection) throws SQLException {
    opened();
    PGConnection notifications = connection.unwrap(PGConnection.class);
    long heardAt = ticker.read();
    while (closed.getCount() > 0) {
      PGNotification[] arrived = notifications.getNotifications((int) LOOK.toMillis());
      boolean heard = presence.settle(connection);
      if (arrived != null && arrived.length > 0) {
        heard = true;
        for (PGNotification notice : arrived) {
          deliver(notice.getParameter());
        }
      }
      if (!heard && ticker.read() - heardAt >= QUIET.toNanos()) {
        probe(connection);
        heard = true;
      }
      heardAt = heard ? ticker.read() : heardAt;
    }
    return true;
  }

  private void opened() {
    CountDownLatch first = connected;
    if (first == null) {
      log.info("notices arrive again channel={}", channel);
    } else {
      connected = null;
      first.countDown();
    }
    pauseMillis = 0;
    listeners.tellOfGap();
  }

  private static void probe(Connection connection) throws SQLException {
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
