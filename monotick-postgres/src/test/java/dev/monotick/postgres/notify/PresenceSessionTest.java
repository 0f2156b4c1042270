package dev.monotick.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.EventListener;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PresenceSessionTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final TestDatabase server = TestDatabase.on(TestDatabase.NEWEST);
  private final SchemaName schema = new SchemaName(server.schema());
  private final AtomicBoolean down = new AtomicBoolean();
  private final ConnectionSource source =
      () -> {
        if (down.get()) {
          throw new SQLException("the server is down", "08001");
        }
        return server.connect();
      };
  private final Database database = new Database(new KeptPool(source, 1), source, schema);
  private final UUID process = UUID.randomUUID();
  private final LockKey presence = LockKey.of(schema, "replica", process.toString());
  private final BlockingQueue<Optional<String>> told = new LinkedBlockingQueue<>();
  private PresenceSession notices = PresenceSession.start(database, schema, process);

  @AfterEach
  void close() {
    notices.close();
  }

  private void awaitOpen() throws InterruptedException {
    assertThat(notices.awaitOpen(SOON)).isTrue();
  }

  private void send(String kind, String detail) {
    database.once(
        "sending",
        connection -> {
          notices.send(connection, kind, detail);
          return true;
        });
  }

  private Optional<String> next() throws InterruptedException {
    Optional<String> detail = told.poll(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(detail).as("told within " + SOON).isNotNull();
    return detail;
  }

  private int presenceSession() throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select pid from pg_locks where locktype = 'advisory' and objsubid = 1"
                    + " and ((classid::bigint << 32) | objid::bigint) = "
                    + presence.sql())) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  private void awaitPresence(boolean wanted) throws SQLException {
    while (presenceSession() != 0 != wanted || notices.isPresent() != wanted) {
      Thread.onSpinWait(); // the test's time limit ends this
    }
  }

  @Test
  void listenersAreToldOfTheirKindOnly() throws InterruptedException {
    awaitOpen();
    EventListener.Subscription subscription = notices.listen("freed", told::add);
    send("other", "1");
    send("freed", "a:b");
    assertThat(next()).contains("a:b");
    subscription.close();
    notices.listen("last", told::add);
    send("freed", "c");
    send("last", "d");
    assertThat(next()).contains("d");
    assertThat(told).isEmpty();
  }

  @Test
  void noticeIsSentWithItsTransaction() throws Exception {
    awaitOpen();
    notices.listen("freed", told::add);
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      notices.send(connection, "freed", "never");
      connection.rollback();
      notices.send(connection, "freed", "committed");
      connection.commit();
    }
    assertThat(next()).contains("committed");
  }

  @Test
  void schemasDoNotHearEachOther() throws InterruptedException {
    awaitOpen();
    SchemaName other = new SchemaName(schema.text() + "_2");
    try (PresenceSession others = PresenceSession.start(database, other, UUID.randomUUID())) {
      assertThat(others.awaitOpen(SOON)).isTrue();
      notices.listen("freed", told::add);
      database.once(
          "sending",
          connection -> {
            others.send(connection, "freed", "theirs");
            return true;
          });
      send("freed", "ours");
      assertThat(next()).contains("ours");
    }
  }

  @Test
  void listenerThatThrowsStopsNobody() throws InterruptedException {
    awaitOpen();
    notices.listen(
        "freed",
        detail -> {
          throw new IllegalStateException("a defect of the listener");
        });
    notices.listen("freed", told::add);
    send("freed", "1");
    send("freed", "2");
    assertThat(next()).contains("1");
    assertThat(next()).contains("2");
  }

  @Test
  void brokenSessionIsOpenedAgainAndEverybodyToldOfTheGap() throws Exception {
    Semaphore lost = new Semaphore(0);
    awaitOpen();
    awaitPresence(true);
    notices.listen("freed", told::add);
    notices.listen("other", told::add);
    notices.whenLost(lost::release);
    int session = presenceSession();
    down.set(true);
    server.execute("select pg_terminate_backend(" + session + ")");
    assertThat(lost.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    awaitPresence(false);
    down.set(false);
    assertThat(next()).isEmpty();
    assertThat(next()).isEmpty();
    awaitPresence(true);
    assertThat(presenceSession()).isNotEqualTo(session);
    send("freed", "again");
    assertThat(next()).contains("again");
    assertThat(lost.availablePermits()).as("told once").isZero();
  }

  @Test
  void presenceHeldByADeadSessionIsTakenOnceItIsFree() throws Exception {
    awaitOpen();
    awaitPresence(true);
    down.set(true);
    server.execute("select pg_terminate_backend(" + presenceSession() + ")");
    awaitPresence(false);
    try (Connection dead = server.connect();
        Statement statement = dead.createStatement()) {
      statement.execute("select pg_advisory_lock(" + presence.sql() + ")");
      notices.listen("freed", told::add);
      down.set(false);
      assertThat(next()).as("open again").isEmpty();
      assertThat(notices.isPresent()).isFalse();
      send("freed", "heard all the same");
      assertThat(next()).contains("heard all the same");
    }
    awaitPresence(true);
  }

  @Test
  void serverThatIsDownAtStartIsWaitedFor() throws Exception {
    notices.close();
    down.set(true);
    notices = PresenceSession.start(database, schema, process);
    assertThat(notices.awaitOpen(Duration.ofMillis(300))).isFalse();
    down.set(false);
    awaitOpen();
    awaitPresence(true);
  }

  @Test
  void closingEndsItAtOnce() throws Exception {
    awaitOpen();
    awaitPresence(true);
    long start = System.nanoTime();
    notices.close();
    notices.close();
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("monotick-notices-" + schema.text()))) {
      Thread.onSpinWait();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    awaitPresence(false);
  }

  @Test
  void withoutSessionsThereIsNothingToHear() throws SQLException {
    try (Notifications none = Notifications.none();
        Connection connection = server.connect()) {
      none.send(connection, "freed", "nobody");
      none.listen("freed", told::add).close();
      none.whenLost(() -> {}).close();
      assertThat(none.presenceKey()).isEmpty();
      assertThat(none.isPresent()).isFalse();
    }
  }
}
