package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.Monotick;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.leader.Fence;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.spi.time.Ticker;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Whole engines on a real server. */
@Timeout(90)
class EngineOnPostgresTest {

  private static final Duration OFTEN = Duration.ofMillis(200);

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Queue<Instant> ran = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
    test.close();
  }

  @Test
  void everyTickRunsOnOneOfThreeReplicas() {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    for (String name : List.of("one", "two", "three")) {
      engine(
          name,
          Task.named("digest")
              .every(OFTEN)
              .mode(HaMode.ONE_REPLICA)
              .run(
                  context -> {
                    ran.add(context.nominalTime());
                    runs.merge(context.replica(), 1, Integer::sum);
                  }));
    }
    await(() -> ran.size() >= 15 && runs.size() == 3);
    assertThat(List.copyOf(ran)).doesNotHaveDuplicates();
  }

  @Test
  void ticksOfALeaderCarryItsFenceAndGoOnAfterAHandOver() {
    Queue<Fence> fences = new ConcurrentLinkedQueue<>();
    Task task =
        Task.named("signing")
            .every(OFTEN)
            .mode(HaMode.LEADER)
            .run(
                context -> {
                  ran.add(context.nominalTime());
                  fences.add(context.fence().orElseThrow());
                });
    Monotick one = engine("one", task);
    await(() -> one.leadership("default").isPresent());
    Monotick two = engine("two", task);
    await(() -> ran.size() >= 3);
    one.stop(Duration.ofSeconds(5));
    await(() -> two.leadership("default").isPresent() && fences.stream().distinct().count() == 2);
    assertThat(List.copyOf(ran)).doesNotHaveDuplicates();
    List<Fence> order = List.copyOf(fences);
    assertThat(order).isSorted();
    assertThat(two.history("signing", 100))
        .filteredOn(row -> row.outcome() != null)
        .extracting(TickRecord::outcome)
        .isSubsetOf(Outcome.SUCCEEDED, Outcome.MISSED, Outcome.SKIPPED);
  }

  @Test
  void transactionalTickCommitsWithItsOutcome() throws SQLException {
    test.execute("create schema if not exists " + test.schema());
    test.execute("create table " + test.schema() + ".bill (id text primary key)");
    PGSimpleDataSource data = new PGSimpleDataSource();
    data.setUrl(test.url());
    data.setUser(test.user());
    data.setPassword(test.password());
    Monotick engine =
        engine(
            "one",
            Task.named("billing")
                .every(OFTEN)
                .mode(HaMode.ONE_REPLICA)
                .effect(Effect.TRANSACTIONAL)
                .run(
                    context ->
                        context.fencedTransaction(
                            data,
                            connection -> {
                              try (Statement statement = connection.createStatement()) {
                                statement.executeUpdate(
                                    "insert into "
                                        + test.schema()
                                        + ".bill values ('"
                                        + context.idempotencyKey()
                                        + "')");
                              }
                            })),
            Task.named("forgetful")
                .every(OFTEN)
                .mode(HaMode.ONE_REPLICA)
                .effect(Effect.TRANSACTIONAL)
                .run(context -> ran.add(context.nominalTime())));
    await(() -> count("billing", engine) >= 5 && ran.size() > 1);
    assertThat(engine.history("forgetful", 100))
        .extracting(TickRecord::detail)
        .anySatisfy(
            detail -> assertThat(detail).contains("returned without context.fencedTransaction"));
    engine.stop(Duration.ofSeconds(5));
    PostgresStore reader = store(builder -> builder);
    assertThat(bills())
        .isEqualTo(
            reader.ledger().history("billing", 100).stream()
                .filter(row -> row.outcome() == Outcome.SUCCEEDED)
                .count());
  }

  @Test
  void replicaWhoseClockIsWrongByTwoMinutesFiresOnTime() {
    Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(2));
    TimeSource time = new TimeSource(wrong, Ticker.system());
    PostgresStore store = store(builder -> builder.time(time));
    Queue<Duration> lateness = new ConcurrentLinkedQueue<>();
    Monotick engine =
        Monotick.builder()
            .store(store)
            .time(time)
            .replicaName("wrong")
            .task(
                Task.named("punctual")
                    .every(Duration.ofSeconds(1))
                    .mode(HaMode.ONE_REPLICA)
                    .run(
                        context ->
                            lateness.add(
                                Duration.between(
                                    context.nominalTime(), Clock.systemUTC().instant()))))
            .build();
    open.add(engine);
    engine.start();
    await(() -> lateness.size() >= 2);
    assertThat(List.copyOf(lateness))
        .allSatisfy(late -> assertThat(late).isBetween(Duration.ZERO, Duration.ofSeconds(30)));
    assertThat(store.ledger().clockOffset().plusMinutes(2).abs()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void worksOnThePoolOfTheApplication() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(test.url());
    config.setUsername(test.user());
    config.setPassword(test.password());
    config.setMaximumPoolSize(12);
    HikariDataSource pool = new HikariDataSource(config);
    open.add(pool);
    PostgresStore store = PostgresStore.builder().dataSource(pool).schema(test.schema()).build();
    open.add(store);
    Monotick engine = start(store, "one", counting(HaMode.ONE_REPLICA), counting(HaMode.LEADER));
    await(() -> ran.size() >= 5);
    assertThat(engine.stop(Duration.ofSeconds(5)).isClean()).isTrue();
    store.close();
    await(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  @Test
  void nameOfALiveReplicaIsRefused() {
    engine("same", counting(HaMode.ONE_REPLICA));
    PostgresStore second = store(builder -> builder);
    assertThatThrownBy(() -> start(second, "same", counting(HaMode.ONE_REPLICA)))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("replica same")
        .hasMessageContaining("under the same name")
        .hasMessageContaining("replicaName");
  }

  @Test
  void singleReplicaIsRefusedBesideAnother() {
    engine("one", counting(HaMode.ONE_REPLICA));
    PostgresStore second = store(builder -> builder);
    Monotick alone =
        Monotick.builder()
            .store(second)
            .replicaName("two")
            .leadership(LeadershipMode.SINGLE_REPLICA)
            .task(counting(HaMode.LEADER))
            .build();
    assertThatThrownBy(alone::start)
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("must be alone, but one");
  }

  @Test
  void replicaThatDiesIsNoticedByTheEndOfItsConnections() {
    Monotick one = engine("one", counting(HaMode.ONE_REPLICA));
    PostgresStore dying = store(builder -> builder);
    Monotick two = start(dying, "two", counting(HaMode.ONE_REPLICA));
    await(() -> one.replicas().size() == 2);
    long begun = System.nanoTime();
    dying.close(); // all of its connections end at once, as if its process had
    await(
        () ->
            one.replicas().stream()
                .map(ReplicaInfo::id)
                .noneMatch(id -> id.equals(two.replicaId())));
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .as("by silence it would have taken 6 s")
        .isLessThan(Duration.ofSeconds(5));
  }

  private Task counting(HaMode mode) {
    return Task.named("counting-" + mode.name().toLowerCase(Locale.ROOT))
        .every(OFTEN)
        .mode(mode)
        .run(context -> ran.add(context.nominalTime()));
  }

  private PostgresStore store(UnaryOperator<PostgresStoreBuilder> options) {
    PostgresStore store =
        options
            .apply(
                PostgresStore.builder()
                    .url(test.url())
                    .user(test.user())
                    .password(test.password())
                    .schema(test.schema()))
            .build();
    open.add(store);
    return store;
  }

  private Monotick engine(String name, Task... tasks) {
    return start(store(builder -> builder), name, tasks);
  }

  private Monotick start(PostgresStore store, String name, Task... tasks) {
    Monotick engine = Monotick.builder().store(store).replicaName(name).build();
    for (Task task : tasks) {
      engine.register(task);
    }
    open.add(() -> engine.stop(Duration.ZERO));
    engine.start();
    return engine;
  }

  private static long count(String task, Monotick engine) {
    return engine.history(task, 100).stream()
        .filter(row -> row.outcome() == Outcome.SUCCEEDED)
        .count();
  }

  private long bills() throws SQLException {
    try (Connection connection = test.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from " + test.schema() + ".bill")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Looks again until it is so; the time limit is the test's. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      ServerTime.pass(Duration.ofMillis(20));
    }
  }
}
