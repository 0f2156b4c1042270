package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.Monotick;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many connections a pool must lend. */
@Timeout(90)
class ConnectionBudgetTest {

  private static final int ENOUGH = 5;

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
        .hasMessageContaining("but " + (size == 1 ? 2 : ENOUGH) + " are needed")
        .hasMessageContaining("maximumPoolSize");
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
  }

  @Test
  void directDataSourceThatIsTooSmallIsRefusedWithTheNumber() {
    PostgresStoreBuilder builder =
        PostgresStore.builder()
            .dataSource(pool(2))
            .directDataSource(pool(ENOUGH - 2))
            .schema(test.schema());
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("directDataSource lends only 3 connections at once, but 4");
  }

  @Test
  void smallestPoolCarriesAnEngineWithHandlersAndALeader() throws Exception {
    PostgresStore store =
        keep(PostgresStore.builder().dataSource(pool(ENOUGH)).schema(test.schema()).build());
    work(store);
  }

  @Test
  void withADirectDataSourceTwoAreEnough() throws Exception {
    PostgresStore store =
        keep(
            PostgresStore.builder()
                .dataSource(pool(2))
                .directDataSource(pool(ENOUGH - 1))
                .schema(test.schema())
                .build());
    work(store);
  }

  private void work(PostgresStore store) throws Exception {
    JobKind<String> kind = JobKind.named("work", String.class);
    CountDownLatch jobs = new CountDownLatch(50);
    CountDownLatch ticks = new CountDownLatch(3);
    Monotick engine =
        Monotick.builder()
            .store(store)
            .handler(
                kind,
                job -> {
                  jobs.countDown();
                  return JobOutcome.done();
                })
            .task(
                Task.named("led")
                    .every(Duration.ofMillis(200))
                    .mode(HaMode.LEADER)
                    .run(context -> ticks.countDown()))
            .build();
    engine.start();
    open.add(() -> engine.stop(Duration.ZERO));
    for (int i = 0; i < 50; i++) {
      engine.jobs().enqueue(kind.of("a"));
    }
    assertThat(jobs.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ticks.await(60, TimeUnit.SECONDS)).isTrue();
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
