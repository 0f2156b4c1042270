package dev.monotick.postgres.job.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.job.handoff.HandoffChannel;
import dev.monotick.postgres.job.handoff.HandoffNotification;
import dev.monotick.postgres.notify.Notification;
import dev.monotick.spi.replica.MemberId;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Whether notices of jobs arrive is known, not believed. */
@Tag("thorough")
@Timeout(60)
final class JobNotificationListenerTest {

  private final TestDatabase server = TestDatabase.on(TestDatabase.NEWEST);
  private final KeptPool pool = new KeptPool(server::connect, 1);
  private final Database database =
      new Database(pool, server::connect, new SchemaName(server.schema()));
  private final HandoffChannel own = new HandoffChannel();
  private final BlockingQueue<Set<String>> told = new LinkedBlockingQueue<>();
  private final JobNotificationListener ear =
      new JobNotificationListener(database, own, this::handedOff, () -> {}, Duration.ofMillis(100));

  /** What is done in the session that hears of a job handed off. */
  private volatile @Nullable String sql;

  private void handedOff(HandoffNotification notice, Connection connection) {
    String text = sql;
    if (text != null) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(text);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void open() {
    ear.add(told::add);
    ear.open();
  }

  @AfterEach
  void close() {
    ear.close();
    pool.close();
  }

  private Set<String> next() throws InterruptedException {
    Set<String> queues = told.poll(20, TimeUnit.SECONDS);
    assertThat(queues).isNotNull();
    return queues;
  }

  private void send(String queue) {
    boolean unused =
        database.once(
            "telling",
            connection -> {
              ear.notify(List.of(queue), false).send(connection);
              return true;
            });
  }

  @Test
  void whatItTellsItselfWakesNobody() throws Exception {
    try (Connection other = server.connect();
        Statement listen = other.createStatement()) {
      listen.execute("listen \"" + own.name() + '"');
      open();
      assertThat(next()).as("open").isEmpty();
      int probes = 0;
      while (probes < 5) {
        PGNotification[] arrived = other.unwrap(PGConnection.class).getNotifications(20_000);
        assertThat(arrived).isNotEmpty();
        for (PGNotification notice : arrived) {
          assertThat(HandoffNotification.parse(notice.getParameter())).as("no job").isNull();
          probes++;
        }
      }
      send("mail");
      assertThat(next()).containsExactly("mail");
      assertThat(told).isEmpty();
      assertThat(ear.hears()).isTrue();
      assertThat(own.isListening()).isTrue();
    }
  }

  /** It answers, but notices do not arrive. */
  @Test
  void aSessionThatHearsNothingIsLeftForAnother() throws Exception {
    open();
    assertThat(next()).as("open").isEmpty();
    assertThat(ear.hears()).isTrue();
    sql = "unlisten *";
    boolean unused =
        database.once(
            "handing off",
            connection -> {
              new Notification(own.name(), MemberId.random().value() + " 1").send(connection);
              return true;
            });
    assertThat(next()).as("open again, some may have been missed").isEmpty();
    assertThat(ear.hears()).isTrue();
    assertThat(own.isListening()).isTrue();
    send("mail");
    assertThat(next()).containsExactly("mail");
  }

  /** As behind something that forwards answers, but not what the server says by itself. */
  @Test
  void aNewSessionIsNotReliedOnBeforeANoticeCameBack() throws Exception {
    Semaphore looks = new Semaphore(0);
    Database deaf =
        new Database(
            pool, () -> deafened(server.connect(), looks), new SchemaName(server.schema()));
    try (JobNotificationListener other =
        new JobNotificationListener(deaf, own, this::handedOff, () -> {}, Duration.ofMillis(100))) {
      other.add(told::add);
      other.open();
      assertThat(looks.tryAcquire(3, 20, TimeUnit.SECONDS)).as("tried again").isTrue();
      assertThat(other.hears()).isFalse();
      assertThat(own.isListening()).isFalse();
      assertThat(told).isEmpty();
    }
  }

  private static Connection deafened(Connection connection, Semaphore looks) {
    return proxy(
        Connection.class,
        connection,
        "unwrap",
        () ->
            proxy(
                PGConnection.class,
                connection,
                "getNotifications",
                () -> {
                  looks.release();
                  return new PGNotification[0];
                }));
  }

  private static <T> T proxy(
      Class<T> type, Connection connection, String method, Supplier<Object> instead) {
    return type.cast(
        Proxy.newProxyInstance(
            JobNotificationListenerTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) ->
                called.getName().equals(method)
                    ? instead.get()
                    : called.invoke(connection, arguments)));
  }
}
