package dev.monotick.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.job.QueueFullException;
import dev.monotick.work.Effect;
import dev.monotick.work.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Whole engines that run jobs on a real server. */
@Timeout(120)
class JobsOnPostgresTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final JobKind<String> KIND =
      JobKind.named("work", String.class).retry(RetryPolicy.fixed(Duration.ofMillis(50)));

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Queue<String> ran = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
    test.close();
  }

  @Test
  void eachOfManyJobsRunsOnceOnTwoReplicas() throws Exception {
    int count = 3_000;
    CountDownLatch left = new CountDownLatch(count);
    JobHandler<String> handler =
        job -> {
          ran.add(job.payload());
          left.countDown();
          return JobOutcome.done();
        };
    Jobs jobs = engine(KIND, handler).jobs();
    engine(KIND, handler);
    List<JobRequest<String>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(KIND.of("job " + i));
    }
    List<Enqueued> added = jobs.enqueue(requests);
    assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(List.copyOf(ran)).hasSize(count).doesNotHaveDuplicates();
    assertThat(ended(jobs, added.get(count - 1).id()).state()).isEqualTo(JobState.SUCCEEDED);
  }

  /** Claimed in the commit that adds it, and run by a process that did not ask for it. */
  @Test
  void jobThatComesAloneIsGivenToAReplicaThatWaits() throws Exception {
    String claimed =
        "select c.claimed_at = j.created_at from "
            + test.schema()
            + ".job_claim c join "
            + test.schema()
            + ".job j on j.id = any (c.ids) where j.id = ";
    engine(KIND, job -> JobOutcome.done(read(claimed + job.id())));
    Jobs jobs = engine(JobKind.named("other", String.class), job -> JobOutcome.done()).jobs();
    String given;
    do { // until it has nothing to do
      Job job = ended(jobs, jobs.enqueue(KIND.of("a")).id());
      assertThat(job.attempts()).hasSize(1);
      given = new String(job.result().orElseThrow(), UTF_8);
    } while (!given.contains("t"));
  }

  private String read(String query) throws SQLException {
    try (Connection connection = test.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void failedAttemptIsRepeatedAndAudited() throws Exception {
    Jobs jobs =
        engine(
                KIND,
                job -> {
                  if (job.attempt() < 3) {
                    throw new IllegalStateException("not yet");
                  }
                  return JobOutcome.done("at last");
                })
            .jobs();
    Job job = ended(jobs, jobs.enqueue(KIND.of("a")).id());
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(
            Job.Attempt.Outcome.RETRIED,
            Job.Attempt.Outcome.RETRIED,
            Job.Attempt.Outcome.SUCCEEDED);
    assertThat(job.attempts().get(0).detail().orElseThrow()).contains("not yet");
  }

  /** Payloads of a megabyte wait in the database, not in the replica. */
  @Test
  void largePayloadsReachTheirHandlers() throws Exception {
    Jobs jobs =
        engine(
                KIND,
                job -> {
                  ran.add(job.payload());
                  return JobOutcome.done();
                })
            .jobs();
    List<String> payloads = new ArrayList<>();
    List<JobRequest<String>> requests = new ArrayList<>();
    for (int size : List.of(8_192, 8_193, 1 << 20)) {
      payloads.add("x".repeat(size - 1) + "!");
      requests.add(KIND.of(payloads.get(payloads.size() - 1)));
    }
    for (Enqueued added : jobs.enqueue(requests)) {
      assertThat(ended(jobs, added.id()).state()).isEqualTo(JobState.SUCCEEDED);
    }
    assertThat(ran).containsExactlyInAnyOrderElementsOf(payloads);
  }

  @Test
  void jobOfATransactionThatIsRolledBackNeverWas() throws Exception {
    Jobs jobs =
        engine(
                KIND,
                job -> {
                  ran.add(job.payload());
                  return JobOutcome.done();
                })
            .jobs();
    JobId kept;
    try (Connection connection = test.connect()) {
      connection.setAutoCommit(false);
      JobId dropped = jobs.enqueue(connection, KIND.of("dropped")).id();
      connection.rollback();
      kept = jobs.enqueue(connection, KIND.of("kept")).id();
      connection.commit();
      jobs.notifyWorkers();
      assertThat(jobs.find(dropped)).isEmpty();
    }
    assertThat(ended(jobs, kept).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ran).containsExactly("kept");
  }

  @Test
  void transactionalJobCommitsWithItsSql() throws Exception {
    String table = test.schema() + "_effects";
    test.execute("create table " + table + " (what text not null)");
    JobKind<String> kind = KIND.effect(Effect.TRANSACTIONAL);
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(test.url());
    dataSource.setUser(test.user());
    dataSource.setPassword(test.password());
    Jobs jobs =
        engine(
                kind,
                job -> {
                  job.transaction(
                      dataSource,
                      connection -> {
                        try (var insert =
                            connection.prepareStatement("insert into " + table + " values (?)")) {
                          insert.setString(1, job.payload() + " " + job.attempt());
                          insert.executeUpdate();
                        }
                        if (job.attempt() == 1) {
                          throw new SQLException("after the insert");
                        }
                      });
                  throw new IllegalStateException("too late to matter");
                })
            .jobs();
    Job job = ended(jobs, jobs.enqueue(kind.of("a")).id());
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(read("select string_agg(what, ',') from " + table)).isEqualTo("a 2");
  }

  @Test
  void badInputIsRefusedAndNothingIsAdded() {
    Jobs jobs = engine(KIND, job -> JobOutcome.done()).jobs();
    JobKind<String> idle = JobKind.named("idle", String.class).queue("idle");
    assertThatThrownBy(() -> jobs.enqueue(idle.of("x".repeat((1 << 20) + 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payload")
        .hasMessageContaining("1048576");
    assertThatThrownBy(() -> idle.of("a").maxAttempts(0)).hasMessageContaining("maxAttempts");
    assertThatThrownBy(() -> idle.of("a").delay(Duration.ofSeconds(-1)))
        .hasMessageContaining("delay");
    assertThatThrownBy(() -> idle.of("a").priority(10)).hasMessageContaining("priority");
    assertThatThrownBy(() -> idle.of("a").uniqueKey("k".repeat(501)))
        .hasMessageContaining("uniqueKey");
    assertThatThrownBy(() -> idle.queue("no such queue!")).hasMessageContaining("queue");
    record NoCodec(String text) {}
    JobKind<NoCodec> record = JobKind.named("record", NoCodec.class);
    assertThatThrownBy(() -> jobs.enqueue(record.of(new NoCodec("a"))))
        .hasMessageContaining("payload")
        .hasMessageContaining("monotick-jackson");
    for (int i = 0; i < 3; i++) {
      jobs.enqueue(idle.of("waits"));
    }
    assertThatThrownBy(() -> jobs.withMaxQueueDepth(3).enqueue(idle.of("one too many")))
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining("idle");
  }

  private Job ended(Jobs jobs, JobId id) throws InterruptedException {
    return jobs.await(id, PATIENCE).orElseThrow();
  }

  private Monotick engine(JobKind<String> kind, JobHandler<String> handler) {
    PostgresStore store =
        PostgresStore.builder()
            .url(test.url())
            .user(test.user())
            .password(test.password())
            .schema(test.schema())
            .build();
    open.add(store);
    Monotick monotick =
        Monotick.builder()
            .store(store)
            .replicaName("replica-" + open.size())
            .handler(kind, handler)
            .build();
    open.add(monotick);
    monotick.start();
    return monotick;
  }
}
