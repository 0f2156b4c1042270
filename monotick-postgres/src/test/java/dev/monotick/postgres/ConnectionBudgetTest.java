package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.error.StoreException;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** How many connections a pool must lend. */
@Timeout(90)
class ConnectionBudgetTest {

  /** Three sessions, one leadership group and two short transactions. */
  private static final int ENOUGH = 6;

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
    test.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, ENOUGH - 1})
  void poolThatIsTooSmallIsRefusedWithTheNumber(int size) {
    HikariDataSource pool = pool(size);
    PostgresStoreBuilder builder = PostgresStore.builder().dataSource(pool).schema(test.schema());
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dataSource lends only " + size + " connection")
        .hasMessageContaining("but " + ENOUGH + " are needed")
        .hasMessageContaining("maximumPoolSize");
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void directDataSourceThatIsTooSmallIsRefusedWithTheNumber(int size) {
    PostgresStoreBuilder builder =
        PostgresStore.builder()
            .dataSource(pool(2))
            .directDataSource(pool(size))
            .schema(test.schema());
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("directDataSource lends only " + size + " connection")
        .hasMessageContaining("but 4 are needed");
  }

  @Test
  void poolThatIsTooSmallForASecondLeadershipGroupIsRefusedWithTheNumber() {
    HikariDataSource pool = pool(ENOUGH);
    PostgresStore store =
        keep(PostgresStore.builder().dataSource(pool).schema(test.schema()).build());
    MonotickBuilder three = Monotick.builder().store(store).task(led("a")).task(led("b"));
    assertThatThrownBy(three.task(led("c"))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dataSource lends only 6 connections at once, but 8 are needed")
        .hasMessageContaining("3 leadership groups");
    Monotick engine = Monotick.builder().store(store).task(led("a")).build();
    open.add(() -> engine.stop(Duration.ZERO));
    assertThatThrownBy(() -> engine.register(led("b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dataSource lends only 6 connections at once, but 7 are needed")
        .hasMessageContaining("2 leadership groups");
    assertThat(engine.tasks()).hasSize(1);
  }

  @Test
  void directDataSourceThatIsTooSmallForASecondLeadershipGroupIsRefusedWithTheNumber() {
    PostgresStore store =
        keep(
            PostgresStore.builder()
                .dataSource(pool(2))
                .directDataSource(pool(4))
                .schema(test.schema())
                .build());
    MonotickBuilder two = Monotick.builder().store(store).task(led("a")).task(led("b"));
    assertThatThrownBy(two::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("directDataSource lends only 4 connections at once, but 5");
  }

  @Test
  void smallestPoolForTwoGroupsCarriesBoth() throws Exception {
    PostgresStore store =
        keep(PostgresStore.builder().dataSource(pool(ENOUGH + 1)).schema(test.schema()).build());
    work(store, "a", "b");
  }

  @ParameterizedTest
  @CsvSource({"53300, false", "53300, true", "57P01, false", "57P03, true", "08006, false"})
  void serverThatRefusesConnectionsIsNoPoolThatIsTooSmall(String state, boolean wrapped) {
    List<Connection> given = new CopyOnWriteArrayList<>();
    PGSimpleDataSource server = new PGSimpleDataSource();
    server.setUrl(test.url());
    server.setUser(test.user());
    server.setPassword(test.password());
    SQLException refused = new SQLException("not now", state);
    DataSource source =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  for (Connection each : given) {
                    if (!each.isClosed()) { // it lends one at a time
                      throw wrapped ? new SQLException("timed out", refused) : refused;
                    }
                  }
                  given.add(server.getConnection());
                  return given.get(given.size() - 1);
                });
    PostgresStoreBuilder builder =
        PostgresStore.builder()
            .dataSource(source)
            .schema(test.schema())
            .startupTimeout(Duration.ZERO);
    assertThatThrownBy(builder::build)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("not now")
        .hasMessageContaining(state);
  }

  @Test
  void smallestPoolCarriesAnEngineWithHandlersAndALeader() throws Exception {
    PostgresStore store =
        keep(PostgresStore.builder().dataSource(pool(ENOUGH)).schema(test.schema()).build());
    work(store, "default");
  }

  @Test
  void withADirectDataSourceTwoAreEnough() throws Exception {
    PostgresStore store =
        keep(
            PostgresStore.builder()
                .dataSource(pool(2))
                .directDataSource(pool(4))
                .schema(test.schema())
                .build());
    work(store, "default");
  }

  private static Task led(String group) {
    return Task.named("of-" + group)
        .every(Duration.ofMinutes(1))
        .mode(HaMode.LEADER)
        .group(group)
        .run(context -> {});
  }

  private void work(PostgresStore store, String... groups) throws Exception {
    JobKind<String> kind = JobKind.named("work", String.class);
    CountDownLatch jobs = new CountDownLatch(50);
    MonotickBuilder builder = Monotick.builder();
    CountDownLatch[] ticks = new CountDownLatch[groups.length];
    for (int i = 0; i < groups.length; i++) {
      CountDownLatch own = new CountDownLatch(3);
      ticks[i] = own;
      builder.task(
          Task.named("led-" + groups[i])
              .every(Duration.ofMillis(200))
              .mode(HaMode.LEADER)
              .group(groups[i])
              .run(context -> own.countDown()));
    }
    Monotick engine =
        builder
            .store(store)
            .handler(
                kind,
                job -> {
                  jobs.countDown();
                  return JobOutcome.done();
                })
            .build();
    engine.start();
    open.add(() -> engine.stop(Duration.ZERO));
    for (int i = 0; i < 50; i++) {
      engine.jobs().enqueue(kind.of("a"));
    }
    assertThat(jobs.await(60, TimeUnit.SECONDS)).isTrue();
    for (CountDownLatch each : ticks) {
      assertThat(each.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(engine.stop(Duration.ofSeconds(10)).isClean()).isTrue();
  }

  private HikariDataSource pool(int size) {
    HikariDataSource pool = keep(new HikariDataSource());
    pool.setJdbcUrl(test.url());
    pool.setUsername(test.user());
    pool.setPassword(test.password());
    pool.setMaximumPoolSize(size);
    pool.setConnectionTimeout(2_000); // what nobody gives back meanwhile is not waited for longer
    return pool;
  }

  private <T extends AutoCloseable> T keep(T resource) {
    open.add(resource);
    return resource;
  }
}
