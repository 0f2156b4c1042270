package dev.monotick.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.monotick.error.FencedException;
import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.FencedWork;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.testkit.FakeTime;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Tag("thorough")
@Timeout(60)
class FencedTransactionTest {

  private static final String TASK = "billing";
  private static final String GROUP = "default";

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final PostgresStore store =
      PostgresStore.builder()
          .url(test.url())
          .user(test.user())
          .password(test.password())
          .schema(test.schema())
          .build();
  private final TickLedger ledger = store.ledger();
  private final MemberId a = MemberId.random();
  private final MemberId b = MemberId.random();
  private final PGSimpleDataSource dataSource = new PGSimpleDataSource();
  private int minutes;
  private long claims;

  @BeforeEach
  void prepare() {
    dataSource.setUrl(test.url());
    dataSource.setUser(test.user());
    dataSource.setPassword(test.password());
    ledger.register(List.of(new SeriesRegistration(TASK, "every PT1M", FakeTime.START)));
    for (MemberId id : List.of(a, b)) {
      store.replicas().join(new MemberInfo(id, "host-" + id, ledger.now(), Set.of(TASK)), false);
    }
    test.execute("create table " + test.schema() + ".bill (id integer primary key)");
  }

  @AfterEach
  void close() {
    store.close();
    test.close();
  }

  @Test
  void workCommitsWhileTheTickIsItsOwn() throws SQLException {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    ledger.transact(run, dataSource, insert(1));
    ledger.transact(run, dataSource, insert(2));
    assertThat(bills()).isEqualTo(2);
    assertThat(row(run).outcome()).as("still runs").isNull();
  }

  @Test
  void workOfAnOldTermIsRolledBack() {
    Fence old = ledger.mintFence(GROUP, a);
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, old);
    ledger.mintFence(GROUP, b);
    assertThatThrownBy(() -> ledger.transact(run, dataSource, insert(1)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("newer term");
    assertThat(bills()).isZero();
  }

  @Test
  void termThatBeginsWhileTheWorkRunsIsNotHeldUpAndWins() throws SQLException {
    Fence old = ledger.mintFence(GROUP, a);
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, old);
    assertThatThrownBy(
            () ->
                ledger.transact(
                    run,
                    dataSource,
                    connection -> {
                      insert(1).run(connection);
                      CompletableFuture.supplyAsync(
                              () -> ledger.mintFence(GROUP, b), new OwnThread())
                          .orTimeout(5, TimeUnit.SECONDS)
                          .join();
                    }))
        .isInstanceOf(FencedException.class);
    assertThat(bills()).isZero();
  }

  @Test
  void workOfAReplicaThatIsGoneIsRolledBack() {
    FencedWork run = claim(a, Effect.AT_LEAST_ONCE, null);
    store.replicas().leave(a);
    ledger.rescue(b, Set.of(TASK));
    assertThatThrownBy(() -> ledger.transact(run, dataSource, insert(1)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("WAITING");
    assertThat(bills()).isZero();
  }

  @Test
  void tickSucceedsWithItsTransaction() throws SQLException {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    ledger.transact(run, dataSource, insert(1));
    assertThat(row(run).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(state().open()).as("until the body ended").isEqualTo(1);
    assertThat(state().lastSuccessAt()).isNotNull();
    assertThatThrownBy(() -> ledger.transact(run, dataSource, insert(2)))
        .isInstanceOf(FencedException.class);
    TickReport.Ended ended =
        new TickReport.Ended(Outcome.SUCCEEDED, null, null, ledger.now(), true);
    assertThat(
            ledger
                .report(List.of(new TickReport(run.claim(), run.tick(), ended)))
                .get(0)
                .recorded())
        .isTrue();
    assertThat(state().open()).isZero();
    assertThat(bills()).isEqualTo(1);
  }

  @Test
  void tickWhoseTransactionFailsHasNotSucceeded() {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    assertThatThrownBy(
            () ->
                ledger.transact(
                    run,
                    dataSource,
                    connection -> {
                      insert(1).run(connection);
                      insert(1).run(connection);
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(row(run).outcome()).isNull();
    assertThat(bills()).isZero();
  }

  @Test
  void commitThatHappenedButWasNotAnsweredIsFoundInTheLedger() throws SQLException {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    ledger.transact(run, losingAnswers(true), insert(1));
    assertThat(row(run).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(bills()).isEqualTo(1);
  }

  @Test
  void commitThatDidNotHappenIsAFailure() {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    assertThatThrownBy(() -> ledger.transact(run, losingAnswers(false), insert(1)))
        .isInstanceOf(SQLException.class);
    assertThat(row(run).outcome()).isNull();
    assertThat(bills()).isZero();
  }

  @Test
  void commitWithoutATraceInTheLedgerIsInDoubt() {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    assertThatThrownBy(() -> ledger.transact(run, losingAnswers(true), insert(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("not known");
  }

  @Test
  void workCannotEndItsTransaction() {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    List<SqlWork> ends =
        List.of(
            Connection::commit,
            Connection::rollback,
            Connection::close,
            connection -> connection.setAutoCommit(true));
    for (SqlWork end : ends) {
      assertThatThrownBy(
              () ->
                  ledger.transact(
                      run,
                      dataSource,
                      connection -> {
                        insert(1).run(connection);
                        end.run(connection);
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("return to have it committed");
      assertThat(bills()).isZero();
    }
  }

  @Test
  void workThatEndsItsTransactionBehindOurBackIsRefused() {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    assertThatThrownBy(
            () ->
                ledger.transact(
                    run,
                    dataSource,
                    connection -> connection.unwrap(Connection.class).setAutoCommit(true)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended its transaction");
  }

  @Test
  void anotherDatabaseIsRefused() {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    String name = "other_" + test.schema();
    test.execute("create database " + name);
    try {
      PGSimpleDataSource other = new PGSimpleDataSource();
      other.setUrl(test.url().replaceAll("/[^/]*$", "/" + name));
      other.setUser(test.user());
      other.setPassword(test.password());
      assertThatThrownBy(() -> ledger.transact(run, other, insert(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("without the store's tables");
    } finally {
      test.execute("drop database " + name);
    }
  }

  /** Whoever lost its right to run during a commit that was not answered gives its tick back. */
  @Test
  void tickThatSucceededOccupiesItsTaskNoMoreOnceItIsGivenBack() throws SQLException {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    ledger.transact(run, dataSource, insert(1));
    TickReport back =
        new TickReport(run.claim(), run.tick(), new TickReport.GivenBack("leadership lost", true));
    assertThat(ledger.report(List.of(back)).get(0).recorded()).isFalse();
    assertThat(row(run).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(state().open()).isZero();
  }

  @Test
  void replicaThatFreezesBetweenProofAndCommitHoldsUpNobody() throws Exception {
    Fence old = ledger.mintFence(GROUP, a);
    FencedWork run = claim(a, Effect.TRANSACTIONAL, old);
    CountDownLatch frozen = new CountDownLatch(1);
    CountDownLatch thaw = new CountDownLatch(1);
    CompletableFuture<Throwable> end =
        CompletableFuture.supplyAsync(
            () ->
                catchThrowable(
                    () -> ledger.transact(run, freezingAtCommit(frozen, thaw), insert(1))),
            new OwnThread());
    try {
      assertThat(frozen.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(mintAtLast(b).isNewerThan(old)).isTrue();
      ledger.pause(TASK, new SeriesPause("test", "the task is not locked", ledger.now()));
    } finally {
      thaw.countDown();
    }
    assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(SQLException.class);
    assertThat(row(run).outcome()).isNull();
    assertThat(bills()).isZero();
  }

  @Test
  void noTableOfOursIsLockedWhileTheWorkRuns() throws SQLException {
    FencedWork run = claim(a, Effect.TRANSACTIONAL, null);
    String locks =
        "select count(*) from pg_locks where pid = pg_backend_pid() and relation in (select oid from"
            + " pg_class where relnamespace = '"
            + test.schema()
            + "'::regnamespace)";
    ledger.transact(
        run,
        dataSource,
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery(locks)) {
            row.next();
            assertThat(row.getInt(1)).isZero();
          }
        });
  }

  private Fence mintAtLast(MemberId replica) {
    Instant end = Instant.now().plus(Duration.ofSeconds(10));
    while (true) {
      try {
        return ledger.mintFence(GROUP, replica);
      } catch (StoreException e) { // waited for the lock, but not long enough
        if (Instant.now().isAfter(end)) {
          throw e;
        }
      }
    }
  }

  /** Kotlin and others know no checked exceptions. */
  @Test
  void workThatThrowsWhatItDidNotDeclareIsRolledBack() {
    FencedWork run = claim(a, Effect.AT_MOST_ONCE, null);
    assertThatThrownBy(
            () ->
                ledger.transact(
                    run,
                    dataSource,
                    connection -> {
                      insert(1).run(connection);
                      throwUndeclared(new IOException("no such file"));
                    }))
        .isInstanceOf(IOException.class);
    assertThat(bills()).isZero();
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> void throwUndeclared(Exception exception) throws E {
    throw (E) exception;
  }

  private FencedWork claim(MemberId replica, Effect effect, @Nullable Fence fence) {
    Instant nominal = FakeTime.START.plusSeconds(60L * ++minutes);
    TickClaimId claim = new TickClaimId(replica, ++claims);
    TickId tick = TickId.scheduled(TASK, nominal);
    LeaderProof proof = fence == null ? null : new LeaderProof(GROUP, fence);
    TickClaimReply reply =
        ledger
            .claim(
                List.of(
                    new TickClaim(
                        claim, tick, state(), List.of(), OverlapRule.ALLOW, effect, proof)))
            .get(0);
    assertThat(reply.kind()).isEqualTo(TickClaimReply.Kind.CLAIMED);
    return new FencedWork(claim, tick, effect, proof, null);
  }

  private SeriesState state() {
    return ledger.states(List.of(TASK)).get(0);
  }

  private TickRecord row(FencedWork run) {
    return ledger.history(TASK, 10).stream()
        .filter(row -> row.tick().equals(run.tick()))
        .findFirst()
        .orElseThrow();
  }

  private SqlWork insert(int id) {
    return connection -> {
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate("insert into " + test.schema() + ".bill values (" + id + ")");
      }
    };
  }

  private int bills() {
    try (Connection connection = test.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from " + test.schema() + ".bill")) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a data source whose connections break during the commit, after or before it. */
  private DataSource losingAnswers(boolean commits) {
    return proxy(
        DataSource.class,
        dataSource,
        (name, result) ->
            name.equals("getConnection")
                ? proxy(
                    Connection.class,
                    (Connection) requireNonNull(result),
                    (call, ignored) -> {
                      if (call.equals("commit")) {
                        throw new SQLException("the connection broke", "08006");
                      }
                      return ignored;
                    },
                    commits ? "" : "commit")
                : result,
        "");
  }

  /** Returns a data source whose connections wait before they commit. */
  private DataSource freezingAtCommit(CountDownLatch frozen, CountDownLatch thaw) {
    return proxy(
        DataSource.class,
        dataSource,
        (name, result) -> {
          if (!name.equals("getConnection")) {
            return result;
          }
          Connection real = (Connection) requireNonNull(result);
          return proxy(
              Connection.class,
              real,
              (call, ignored) -> {
                if (call.equals("commit")) {
                  frozen.countDown();
                  awaitUninterruptibly(thaw);
                  real.commit();
                }
                return ignored;
              },
              "commit");
        },
        "");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private interface After {
    @Nullable Object apply(String method, @Nullable Object result) throws SQLException;
  }

  /** Returns something that does as the target does, and {@code after} afterwards. */
  private static <T> T proxy(Class<T> type, T target, After after, String leftOut) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                Object result =
                    method.getName().equals(leftOut) ? null : method.invoke(target, arguments);
                return after.apply(method.getName(), result);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
