package dev.monotick.postgres.notify;

import dev.monotick.internal.StoreFailures;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.Session;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on channels, in a session and on a thread of its own.
 *
 * <p>The thread waits in the socket, so a notice arrives at once and costs no query. When nothing
 * came for a while its owner asks the server something, because a connection whose other end has
 * vanished looks just like one on which nothing happens. So does one that answers, but on which
 * notices do not arrive: an owner that has a {@link Owner#probe} gets proof of that instead, also
 * before the session counts as open. A session that broke is opened again after a pause that grows.
 */
public final class NotificationThread implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(NotificationThread.class);

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

  private final String name;
  private final Supplier<List<String>> channels;
  private final Owner owner;
  private final Session session;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private long pauseMillis; // only the thread's

  /** Who is told, on the thread; what it throws ends the session. */
  public interface Owner {

    /** Prepares a new connection, which does not listen yet. */
    default void prepare(Connection connection) throws SQLException {}

    /** The session is open, newly or again: notices may have been missed. */
    void opened();

    /** A notice came. */
    void received(Connection connection, Notification notice) throws SQLException;

    /** Returns how long nothing may come before {@link #nothingCame}. */
    Duration patience();

    /**
     * Returns a notice that the session sends to itself whenever nothing came for a while, and when
     * it is new; without it the owner asks something. It must come back, or the session is taken
     * for broken. The owner does not hear of it. Others should not either: its channel is one of
     * ours that nobody else listens on.
     */
    default Optional<Notification> probe() {
      return Optional.empty();
    }

    /** Asks the server something. */
    default void nothingCame(Connection connection) throws SQLException {
      try (Statement question = connection.createStatement()) {
        question.execute("select 1");
      }
    }

    /**
     * The session broke, or could not be opened.
     *
     * @param again whether that is no news
     */
    void broke(boolean again);
  }

  /**
   * Prepares to listen.
   *
   * @param channels asked for each session; the first one is shown to people and stays the same,
   *     others need not be known to anybody
   * @param name what arrives, for people who look at threads and at the server's sessions
   */
  public NotificationThread(
      Database database, Supplier<List<String>> channels, String name, Owner owner) {
    this.name = name;
    this.channels = channels;
    this.owner = owner;
    this.session = database.session(this::prepare);
    this.thread = new Thread(this::run, "monotick-" + name + "-" + database.schema().text());
    thread.setDaemon(true);
  }

  /** Begins to listen, in the background. */
  public void start() {
    thread.start();
  }

  /** Drops the session, without a word to the server, and opens another one soon. */
  public void reopen() {
    session.abort();
  }

  @Override
  public void close() {
    closed.countDown();
    session.close(); // also ends the read the thread waits in
  }

  private String shown() {
    return channels.get().get(0);
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void run() {
    while (!isClosed()) {
      try {
        session.call("listening for " + name, ANSWER_TIMEOUT, this::listen);
      } catch (RuntimeException e) { // whatever it is, the next session may do better
        owner.broke(pauseMillis > 0 || isClosed());
        if (!isClosed()) {
          pause(e);
        }
      }
    }
  }

  /** Done with each new connection. */
  private boolean prepare(Connection connection) throws SQLException {
    try (PreparedStatement settings = connection.prepareStatement(PREPARE)) {
      settings.setString(1, shown() + " " + name);
      settings.execute();
    }
    owner.prepare(connection);
    try (Statement listen = connection.createStatement()) {
      for (String channel : channels.get()) {
        listen.execute("listen \"" + channel + '"');
      }
      return true;
    }
  }

  /** Returns only when closed; a broken connection throws. */
  private boolean listen(Connection connection) throws SQLException {
    Optional<Notification> probe = owner.probe();
    if (probe.isPresent()) {
      prove(connection, probe.get());
    }
    if (pauseMillis > 0) {
      log.info("{} arrive again channel={}", name, shown());
    }
    pauseMillis = 0;
    owner.opened();
    while (!isClosed()) {
      List<Notification> arrived = await(connection, owner.patience());
      if (!arrived.isEmpty()) {
        boolean unused = receive(connection, arrived, probe);
      } else if (probe.isPresent()) {
        prove(connection, probe.get());
      } else {
        owner.nothingCame(connection);
      }
    }
    return true;
  }

  /**
   * Sends ourselves a notice, and returns when it is here. The server delivers notices in the order
   * of their commits: what comes before it is heard meanwhile.
   */
  private void prove(Connection connection, Notification probe) throws SQLException {
    probe.send(connection);
    for (boolean proven = false; !proven; ) {
      List<Notification> arrived = await(connection, ANSWER_TIMEOUT);
      if (arrived.isEmpty()) {
        throw new SQLException(
            "a notification that the session sent to itself did not arrive within "
                + ANSWER_TIMEOUT,
            "08006");
      }
      proven = receive(connection, arrived, Optional.of(probe));
    }
  }

  private static List<Notification> await(Connection connection, Duration atMost)
      throws SQLException {
    PGNotification[] arrived =
        connection.unwrap(PGConnection.class).getNotifications((int) atMost.toMillis());
    return arrived == null
        ? List.of()
        : Stream.of(arrived)
            .map(notice -> new Notification(notice.getName(), notice.getParameter()))
            .toList();
  }

  /** Tells the owner of notices, but for the probe; says whether that was among them. */
  private boolean receive(
      Connection connection, List<Notification> arrived, Optional<Notification> probe)
      throws SQLException {
    boolean proven = false;
    for (Notification notice : arrived) {
      if (probe.isPresent() && probe.get().equals(notice)) {
        proven = true;
      } else {
        owner.received(connection, notice);
      }
    }
    return proven;
  }

  private void pause(RuntimeException failure) {
    if (pauseMillis == 0) {
      log.warn(
          "{} do not arrive, replicas poll meanwhile channel={} cause={}",
          name,
          shown(),
          StoreFailures.describe(failure),
          StoreFailures.trace(failure));
    }
    pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, Math.max(FIRST_PAUSE_MILLIS, 2 * pauseMillis));
    long jitter = ThreadLocalRandom.current().nextLong(pauseMillis / 2);
    try {
      boolean unused = closed.await(pauseMillis - jitter, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      log.debug("unexpected interrupt; the thread continues", e);
    }
  }
}
