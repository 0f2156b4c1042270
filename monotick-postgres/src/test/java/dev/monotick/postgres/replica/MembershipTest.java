package dev.monotick.postgres.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.OwnThread;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.PostgresStoreBuilder;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.spi.replica.JoinPendingException;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What replicas that freeze or lose a connection do to the others. */
@Timeout(60)
class MembershipTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final LeaseTiming SHORT =
      new LeaseTiming(
          Duration.ofMillis(1200),
          Duration.ofMillis(200),
          Duration.ofMillis(400),
          Duration.ofMillis(150));

  private final AtomicInteger marks = new AtomicInteger();
  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final CountDownLatch frozen = new CountDownLatch(1);
  private final CountDownLatch thaw = new CountDownLatch(1);

  @AfterEach
  void close() {
    thaw.countDown();
    test.close();
  }

  @Test
  void replicaThatFreezesWhileItJoinsHoldsUpNobody() throws Exception {
    try (PostgresStore freezing = builder().directDataSource(freezingAtCommit("")).build();
        PostgresStore other = builder().build()) {
      CompletableFuture<Throwable> end =
          CompletableFuture.supplyAsync(
              () -> catchThrowable(() -> freezing.replicas().join(replica("a"), false)),
              new OwnThread());
      assertThat(frozen.await(10, TimeUnit.SECONDS)).isTrue();
      joinAtLast(other.replicas(), replica("b"), false);
      thaw.countDown();
      assertThat(end.get(10, TimeUnit.SECONDS)).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void joinsSeeEachOtherWhateverTheDefaultIsolationIs() throws Exception {
    String strict = "-c default_transaction_isolation=repeatable\\ read";
    PGSimpleDataSource direct = direct();
    direct.setOptions(strict);
    try (PostgresStore first = builder().directDataSource(freezingAtCommit(strict)).build();
        PostgresStore second = builder().directDataSource(direct).build()) {
      CompletableFuture<Void> firstJoins =
          CompletableFuture.runAsync(
              () -> first.replicas().join(replica("a"), true), new OwnThread());
      assertThat(frozen.await(10, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Throwable> secondJoins =
          CompletableFuture.supplyAsync(
              () -> catchThrowable(() -> second.replicas().join(replica("b"), true)),
              new OwnThread());
      awaitLockWait();
      thaw.countDown();
      firstJoins.get(10, TimeUnit.SECONDS);
      assertThat(secondJoins.get(10, TimeUnit.SECONDS))
          .isInstanceOf(JoinPendingException.class)
          .hasMessageContaining("waits until it is known whether a (");
    }
  }

  /** Waits until somebody waits for a lock on our tables. */
  private void awaitLockWait() throws SQLException {
    String waiting =
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%"
            + test.schema()
            + "%'";
    try (Connection connection = test.connect()) {
      while (number(connection, waiting) == 0) {
        ServerTime.pass(Duration.ofMillis(10));
      }
    }
  }

  /**
   * Nobody saw it connected, so that only its silence could tell, which takes as long as a lease.
   */
  @Test
  void replicaThatCameAndDiedBetweenTwoBeatsOfAnotherIsGoneAfterTwoMore() throws Exception {
    try (PostgresStore store = builder().build();
        Connection watch = test.connect()) {
      MemberInfo replica = replica("a");
      store.replicas().join(replica, false);
      assertThat(store.replicas().heartbeat(replica.id())).isPresent();
      try (PostgresStore brief = builder().build()) {
        brief.replicas().join(replica("b"), false);
      } // without leaving, as a process that is killed
      String held =
          "select count(*) from pg_locks l, "
              + test.schema()
              + ".replica r where r.name = 'b' and l.locktype = 'advisory' and l.objsubid = 1 and"
              + " ((l.classid::bigint << 32) | l.objid::bigint) in (r.presence, r.presence # 1)";
      while (number(watch, held) > 0) {
        ServerTime.pass(Duration.ofMillis(10));
      }
      assertThat(store.replicas().heartbeat(replica.id()).orElseThrow()).hasSize(2);
      assertThat(store.replicas().heartbeat(replica.id()).orElseThrow()).containsExactly(replica);
    }
  }

  /** The server may take a while to notice that a session ended, and frees its lock only then. */
  @Test
  void lockThatShowsThatAReplicaLivesIsTakenWhenItBecomesFree() throws Exception {
    try (PostgresStore store = builder().build();
        Connection former = test.connect()) {
      MemberInfo replica = replica("a");
      store.replicas().join(replica, false);
      long key = number(former, "select presence # 1 from " + test.schema() + ".replica limit 1");
      String holder =
          "select coalesce(max(pid), 0) from pg_locks where locktype = 'advisory' and objsubid = 1"
              + " and granted and ((classid::bigint << 32) | objid::bigint) = '"
              + key
              + "'::bigint";
      long session = number(former, holder);
      number(former, "select pg_terminate_backend(" + session + ")::int");
      number(former, "select 1 from pg_advisory_lock('" + key + "'::bigint)");
      assertThatThrownBy(() -> store.replicas().heartbeat(replica.id()))
          .isInstanceOf(StoreException.class);
      assertThat(store.replicas().heartbeat(replica.id())).isPresent();
      number(former, "select pg_advisory_unlock('" + key + "'::bigint)::int");
      assertThat(store.replicas().heartbeat(replica.id())).isPresent();
      assertThat(number(former, holder)).isNotZero();
    }
  }

  /** The one that is no longer connected must not live on beside the one that joined alone. */
  @Test
  void replicaThatJoinsAloneEndsTheOneThatIsDisconnected() {
    MemberInfo former = replica("a");
    MemberInfo latter = replica("b");
    PostgresStore first = builder().build();
    first.replicas().join(former, true);
    first.close(); // as a crash: it did not leave
    try (PostgresStore second = builder().build()) {
      joinAtLast(second.replicas(), latter, true);
      assertThat(second.replicas().live()).extracting(MemberInfo::id).containsOnly(latter.id());
      assertThat(second.replicas().heartbeat(former.id())).isEmpty();
    }
  }

  /** A replica that seems dead when a newcomer looks, and beats before the newcomer marks it. */
  @ParameterizedTest(name = "alone={0}")
  @ValueSource(booleans = {false, true})
  void disconnectedReplicaThatBeatsWhileANewcomerJoinsIsNotReplaced(boolean alone)
      throws Exception {
    MemberInfo former = replica("a");
    MemberInfo newcomer = replica(alone ? "b" : "a");
    try (PostgresStore first = builder().build()) {
      first.replicas().join(former, alone);
    } // its connections end, and it connects again
    String held =
        "select count(*) from pg_locks l, "
            + test.schema()
            + ".replica r where l.locktype = 'advisory' and l.objsubid = 1 and"
            + " ((l.classid::bigint << 32) | l.objid::bigint) in (r.presence, r.presence # 1)";
    try (Connection watch = test.connect()) {
      while (number(watch, held) > 0) {
        ServerTime.pass(Duration.ofMillis(10));
      }
    }
    try (PostgresStore second = builder().directDataSource(beatingBeforeMark(former)).build()) {
      assertStaysAway(second.replicas(), newcomer, alone);
    }
  }

  @ParameterizedTest(name = "alone={0}")
  @ValueSource(booleans = {false, true})
  void silentReplicaThatBeatsWhileANewcomerJoinsIsNotReplaced(boolean alone) {
    MemberInfo former = replica("a");
    MemberInfo newcomer = replica(alone ? "b" : "a");
    try (PostgresStore first = builder().build();
        PostgresStore second =
            builder().membershipTiming(SHORT).directDataSource(beatingBeforeMark(former)).build()) {
      first.replicas().join(former, alone);
      assertStaysAway(second.replicas(), newcomer, alone); // it looks for the first time
      ServerTime.pass(SHORT.leaseDuration());
      assertStaysAway(second.replicas(), newcomer, alone);
      assertThat(marks).hasValueGreaterThan(0);
      assertThat(first.replicas().heartbeat(former.id())).isPresent();
    }
  }

  private void assertStaysAway(MemberRegistry registry, MemberInfo newcomer, boolean alone) {
    assertThatThrownBy(() -> registry.join(newcomer, alone))
        .isInstanceOf(JoinPendingException.class)
        .hasMessageContaining("waits until it is known whether a (");
    try (Connection watch = test.connect()) {
      String found = "select count(*) filter (where gone_at is null) * 10 + count(*) from ";
      assertThat(number(watch, found + test.schema() + ".replica"))
          .as("the first replica is a member, the second is none")
          .isEqualTo(11);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a data source in whose connections a replica beats before any is marked as gone. */
  private DataSource beatingBeforeMark(MemberInfo replica) {
    String beat =
        "update "
            + test.schema()
            + ".replica set heartbeat = heartbeat + 1 where id = '"
            + replica.id().value()
            + "'";
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return beatingBeforeMark(test.connect(), beat);
            });
  }

  private Connection beatingBeforeMark(Connection real, String beat) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && arguments[0].toString().contains("unnest(?::uuid[], ?::bigint[])")) {
                marks.incrementAndGet();
                test.execute(beat);
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private PostgresStoreBuilder builder() {
    return PostgresStore.builder()
        .url(test.url())
        .user(test.user())
        .password(test.password())
        .schema(test.schema());
  }

  private static MemberInfo replica(String name) {
    return new MemberInfo(MemberId.random(), name, Instant.EPOCH, Set.of());
  }

  private static void joinAtLast(MemberRegistry registry, MemberInfo replica, boolean alone) {
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      try {
        registry.join(replica, alone);
        return;
      } catch (StoreException e) { // waited for the lock, but not long enough
        if (Instant.now().isAfter(end)) {
          throw e;
        }
      }
    }
  }

  private static long number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private PGSimpleDataSource direct() {
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setUrl(test.url());
    direct.setUser(test.user());
    direct.setPassword(test.password());
    return direct;
  }

  /** Returns a data source whose connections wait before they commit. */
  private DataSource freezingAtCommit(String options) {
    PGSimpleDataSource direct = direct();
    direct.setOptions(options);
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                method.getName().equals("getConnection")
                    ? freezingAtCommit(direct.getConnection())
                    : method.invoke(direct, arguments));
  }

  private Connection freezingAtCommit(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")) {
                frozen.countDown();
                thaw.await();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
