package dev.monotick.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.Job;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server answers a completion with an error: the outcome is kept, and recorded in the end. */
@Timeout(120)
class RefusedCompletionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int LARGEST_RESULT = 1 << 20;
  private static final JobKind<String> KIND =
      JobKind.named("work", String.class)
          .maxAttempts(2)
          .retry(RetryPolicy.fixed(Duration.ofMillis(10)));

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final BlockingQueue<Refused> refused = new LinkedBlockingQueue<>();
  private @Nullable PostgresStore store;
  private @Nullable Monotick engine;

  private record Refused(MetricSink.Completion of, int count, @Nullable Instant since) {}

  @AfterEach
  void close() throws Exception {
    if (engine != null) {
      engine.close();
    }
    if (store != null) {
      store.close();
    }
    test.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"42501", "22021", "23514", "0A000", "3F000"})
  void outcomeOfAJobOutlivesARefusalOfAnyClass(String state) throws Exception {
    start(job -> JobOutcome.done("made by " + job.payload()));
    refuse("job_attempt", state);
    var id = engine().jobs().enqueue(KIND.of("x")).id();
    Refused first = refused.take();
    assertThat(first.of()).isEqualTo(MetricSink.Completion.JOB);
    assertThat(first.count()).isEqualTo(1);
    assertThat(first.since()).isNotNull();
    assertThat(engine().jobs().find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(refused.take()).as("refused again, alone").isEqualTo(first);
    allow("job_attempt");
    Job job = engine().jobs().await(id, PATIENCE).orElseThrow();
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Job.Attempt.Outcome.SUCCEEDED);
    assertThat(new String(job.result().orElseThrow(), UTF_8)).isEqualTo("made by x");
    assertThat(lastRefused()).isEqualTo(new Refused(MetricSink.Completion.JOB, 0, null));
  }

  @Test
  void outcomeOfATickOutlivesARefusal() throws Exception {
    Task task =
        Task.named("tidy")
            .every(Duration.ofHours(1))
            .runAtStart(true)
            .mode(HaMode.ONE_REPLICA)
            .run(
                context -> {
                  refuse("tick", "42501");
                });
    start(builder().task(task).build());
    Refused first = refused.take();
    assertThat(first.of()).isEqualTo(MetricSink.Completion.TICK);
    assertThat(first.count()).isEqualTo(1);
    assertThat(refused.take()).as("refused again").isEqualTo(first);
    allow("tick");
    assertThat(lastRefused()).isEqualTo(new Refused(MetricSink.Completion.TICK, 0, null));
    List<TickRecord> ticks = engine().history("tidy", 10);
    assertThat(ticks).extracting(TickRecord::outcome).containsExactly(Outcome.SUCCEEDED);
  }

  /** A server refuses the character 0 in a text, and a request that is too large. */
  @Test
  void textsAndResultsAreMadeSoThatTheServerTakesThem() throws Exception {
    String bad = "zero \0, half of a pair \ud83d, " + "long ".repeat(10_000) + "\ud83d\ude00";
    start(
        job -> {
          job.progress(0.5, bad);
          job.log(bad);
          return switch (job.payload()) {
            case "fail" -> JobOutcome.fail(bad);
            case "discard" -> JobOutcome.discard(bad);
            case "retry" -> JobOutcome.retryAfter(Duration.ZERO, bad);
            case "throw" -> throw new IllegalStateException(bad);
            case "text" -> JobOutcome.done(bad);
            case "largest" -> JobOutcome.done(new byte[LARGEST_RESULT]);
            case "too large" -> JobOutcome.done(new byte[LARGEST_RESULT + 1]);
            case "no codec" -> JobOutcome.done(new Object());
            default -> throw new AssertionError(job.payload());
          };
        });
    assertThat(ended("fail").state()).isEqualTo(JobState.DEAD);
    assertThat(ended("discard").state()).isEqualTo(JobState.CANCELLED);
    assertThat(ended("retry").state()).isEqualTo(JobState.DEAD);
    Job threw = ended("throw");
    assertThat(threw.attempts().get(1).detail().orElseThrow()).contains("zero ?, half of a pair");
    assertThat(ended("text").result().orElseThrow()).hasSizeGreaterThan(50_000);
    assertThat(ended("largest").result().orElseThrow()).hasSize(LARGEST_RESULT);
    for (String dropped : List.of("too large", "no codec")) {
      Job job = ended(dropped);
      assertThat(job.state()).as(dropped).isEqualTo(JobState.SUCCEEDED);
      assertThat(job.result()).isEmpty();
    }
    assertThat(refused).isEmpty();
  }

  private Job ended(String payload) throws InterruptedException {
    var id = engine().jobs().enqueue(KIND.of(payload)).id();
    return engine().jobs().await(id, PATIENCE).orElseThrow();
  }

  private Refused lastRefused() throws InterruptedException {
    Refused next;
    do {
      next = refused.take();
    } while (next.since() != null);
    return next;
  }

  private void refuse(String table, String state) throws SQLException {
    execute(
        "create function %1$s.refuse() returns trigger language plpgsql as"
            + " $$ begin raise exception 'not now' using errcode = '"
            + state
            + "'; end $$; create trigger refuse before insert or update on %1$s."
            + table
            + " for each row execute function %1$s.refuse()");
  }

  private void allow(String table) throws SQLException {
    execute("drop trigger refuse on %1$s." + table);
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = test.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(String.format(sql, test.schema()));
    }
  }

  private void start(JobHandler<String> handler) {
    start(builder().handler(KIND, handler).build());
  }

  private void start(Monotick built) {
    engine = built;
    built.start();
  }

  private Monotick engine() {
    return Objects.requireNonNull(engine);
  }

  private MonotickBuilder builder() {
    PostgresStore opened =
        PostgresStore.builder()
            .url(test.url())
            .user(test.user())
            .password(test.password())
            .schema(test.schema())
            .build();
    store = opened;
    return Monotick.builder()
        .store(opened)
        .metrics(
            new MetricSink() {
              @Override
              public void completionsRefused(Completion of, int count, @Nullable Instant since) {
                refused.add(new Refused(of, count, since));
              }
            });
  }
}
