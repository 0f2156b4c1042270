package dev.monotick.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** What happened to jobs is counted once, on two replicas that count every second. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class RollUpTest {

  private static final String LAST_HOUR = "/v1/statistics/jobs?step=PT1M";

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.statistics.interval", "1s")
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.job-retention.interval", "1s")
          .with("monotick.job-retention.grace", "0s");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Sql sql() {
    return installation.bean(0, Sql.class);
  }

  /** A whole pass that began now: whatever is committed is counted after it. */
  private void pass(int replica) {
    RollUp rollUp = installation.bean(replica, RollUp.class);
    for (int passes = 0; passes < 2; passes++) { // the first may have begun before
      boolean more = true;
      while (more) {
        more = rollUp.step();
      }
    }
  }

  private static JsonNode counts(Api api) {
    return Work.expect(200, api.get(LAST_HOUR)).body().path("total").path("counts");
  }

  private static void assertCounts(Api api, Object... namesAndNumbers) {
    JsonNode counts = counts(api);
    for (int i = 0; i < namesAndNumbers.length; i += 2) {
      assertThat(counts.path((String) namesAndNumbers[i]).asInt(-1))
          .as(namesAndNumbers[i] + " of " + counts)
          .isEqualTo(namesAndNumbers[i + 1]);
    }
  }

  /** Makes a tenant with a dead letter, a cancelled job and so many that succeed. */
  private List<String> work(Api api, int succeed) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < succeed; i++) {
      ids.add(Work.create(api, Work.http(receiver.url("/well"))));
    }
    ids.forEach(id -> Work.await(api, id, "SUCCEEDED"));
    return ids;
  }

  private static String die(Api api) {
    String dead =
        Work.create(
            api,
            Api.json(
                "kind",
                "http",
                "maxAttempts",
                1,
                "payload",
                Api.json("url", "http://127.0.0.1:9/")));
    Work.await(api, dead, "DEAD");
    return dead;
  }

  @Test
  void everyThingThatHappensIsCountedOnceAndInItsMinuteHourAndDay() {
    Api acme = Work.tenant(installation.api(), "acme");
    work(acme, 3);
    String dead = die(acme);
    String later = Work.create(acme, Work.later("queue", "slow"));
    Work.expect(200, acme.post("/v1/jobs/" + later + "/cancel"));

    for (int repeated = 0; repeated < 3; repeated++) {
      pass(repeated % 2);
      assertCounts(
          acme, "added", 5, "succeeded", 3, "failed", 1, "dead", 1, "cancelled", 1, "retried", 0);
    }

    Work.expect(200, acme.post("/v1/jobs/" + dead + "/retry"));
    Eventually.until(
        "it died again", () -> acme.get("/v1/jobs/" + dead).text("state").equals("DEAD"));
    pass(0);
    assertCounts(acme, "added", 5, "requeued", 1, "failed", 2, "dead", 2);

    for (String step : List.of("PT1M", "PT1H", "P1D")) {
      JsonNode shown = acme.get("/v1/statistics/jobs?step=" + step).body();
      assertThat(shown.path("total").path("counts")).as(step).isEqualTo(counts(acme));
      int sum = 0;
      for (JsonNode point : shown.path("points")) {
        sum += point.path("counts").path("added").asInt();
      }
      assertThat(sum).isEqualTo(5);
    }
    assertThat(acme.get(LAST_HOUR).body().path("points").size()).isBetween(1440, 1441);
    JsonNode duration = acme.get(LAST_HOUR).body().path("total").path("duration");
    assertThat(duration.path("count").asInt()).isEqualTo(5);
    assertThat(duration.path("p50").asDouble())
        .isPositive()
        .isLessThanOrEqualTo(duration.path("p99").asDouble());
    assertThat(duration.path("p99").asDouble())
        .isLessThanOrEqualTo(duration.path("max").asDouble());
    assertThat(acme.get(LAST_HOUR).body().path("total").path("waiting").path("count").asInt())
        .isEqualTo(4);

    assertThat(
            acme.get(LAST_HOUR + "&queue=slow")
                .body()
                .path("total")
                .path("counts")
                .path("added")
                .asInt())
        .isEqualTo(1);
    assertThat(
            acme.get(LAST_HOUR + "&kind=agent")
                .body()
                .path("total")
                .path("counts")
                .path("added")
                .asInt())
        .isZero();
    assertCounts(Work.tenant(installation.api(), "other"), "added", 0, "succeeded", 0);
  }

  @Test
  void whatIsCommittedLateIsCountedWhenItIs() throws Exception {
    Api acme = Work.tenant(installation.api(), "late");
    CountDownLatch added = new CountDownLatch(1);
    CountDownLatch commit = new CountDownLatch(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> late =
          thread.submit(
              () ->
                  sql()
                      .inTransaction(
                          () -> {
                            addByHand("late", 1);
                            added.countDown();
                            awaitQuietly(commit);
                          }));
      added.await();
      work(acme, 2); // younger, and committed before
      pass(0);
      pass(1);
      assertThat(counts(acme).path("added").asInt()).isLessThanOrEqualTo(2);
      commit.countDown();
      late.get();
    } finally {
      commit.countDown();
      thread.shutdown();
    }
    pass(1);
    pass(0);
    assertCounts(acme, "added", 3, "succeeded", 3);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Adds a job that succeeded at once, made some hours ago. */
  private long addByHand(String tenant, long hoursAgo) {
    long id =
        sql()
            .of(
                """
                with lane as (
                  insert into @@job_lane (queue, kind, tenant, priority)
                  values ('default', 'by-hand', :tenant, 0)
                  on conflict (queue, kind, tenant, priority) do update set queue = 'default'
                  returning id)
                insert into @@job (id, created_at, timeout_millis, lane, version, max_attempts, effect, payload)
                select @@job_first_id(now() - cast(:hours as bigint) * interval '1 hour') + (random() * 4000000)::int,
                       now() - cast(:hours as bigint) * interval '1 hour', 1000, id, 1, 1, 0, ''
                  from lane
                returning id
                """)
            .param("tenant", tenant)
            .param("hours", hoursAgo == 1 ? 0 : hoursAgo)
            .query((row, number) -> row.getLong(1))
            .single();
    sql()
        .of(
            """
            insert into @@job_attempt (job_id, ended_at, started_at, took_micros, run, attempt, outcome)
            values (:id, clock_timestamp(), clock_timestamp(), 5, 1, 1, 0)
            """)
        .param("id", id)
        .update();
    return id;
  }

  @Test
  void manyWhoCountAtOnceAndDieInTheMiddleCountEverythingOnce() throws Exception {
    Api acme = Work.tenant(installation.api(), "race", "retainedJobs", "unlimited");
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> counting = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        int number = i;
        counting.add(threads.submit(() -> countUntil(over, number % 2, number >= 2)));
      }
      work(acme, 200);
    } finally {
      over.set(true);
      threads.shutdown();
    }
    int died = 0;
    for (Future<Integer> each : counting) {
      died += each.get();
    }
    assertThat(died).as("how often somebody died in the middle").isGreaterThan(3);
    pass(0);
    assertCounts(acme, "added", 200, "succeeded", 200);
  }

  /** Counts again and again; whoever dies does so after all is written, before it is committed. */
  private int countUntil(AtomicBoolean over, int replica, boolean dies) {
    Sql sql = installation.bean(replica, Sql.class);
    RollUp rollUp = installation.bean(replica, RollUp.class);
    int died = 0;
    while (!over.get() && died < 10) {
      if (dies) {
        assertThatThrownBy(
                () ->
                    sql.inTransaction(
                        () -> {
                          boolean unused = rollUp.step();
                          sql.of("select pg_terminate_backend(pg_backend_pid())")
                              .query((row, number) -> row.getBoolean(1))
                              .single();
                        }))
            .isInstanceOf(RuntimeException.class);
        died++;
      } else {
        boolean unused = rollUp.step();
      }
    }
    return died;
  }

  @Test
  void whatIsForgottenOrPurgedBeforeIsCountedToo() {
    Api acme = Work.tenant(installation.api(), "trim");
    Api letters = Work.tenant(installation.api(), "purge");
    sql()
        .inTransaction(
            () -> { // as long as it is open nothing younger is counted, but what is forgotten
              sql().of("select pg_current_xact_id()").query((row, number) -> 1).single();
              work(acme, 5);
              for (int i = 0; i < 2; i++) {
                Object dead = Api.json("ids", List.of(die(letters)));
                Work.expect(200, letters.post("/v1/dead-letters/purge", dead));
              }
              Work.expect(
                  200,
                  installation
                      .api()
                      .with("If-Match", "*")
                      .call(
                          "PATCH",
                          "/v1/tenants/trim",
                          Api.json("quotas", Api.json("retainedJobs", 1))));
              Eventually.until(
                  "only one is left", () -> acme.get("/v1/jobs").body().path("items").size() == 1);
              assertCounts(acme, "added", 4, "succeeded", 4);
              assertCounts(letters, "added", 2, "dead", 2, "failed", 2);
            });
    pass(0);
    assertCounts(acme, "added", 5, "succeeded", 5);
    assertCounts(letters, "added", 2, "dead", 2, "failed", 2);
    assertThat(letters.get("/v1/jobs").body().path("items").size()).isZero();
  }

  @Test
  void runsOfOldJobsAreCountedOnceAlthoughTheyMoveToAnotherPartition() {
    Api acme = Work.tenant(installation.api(), "moved");
    long id = addByHand("moved", 48);
    pass(0);
    for (int i = 0; i < 2; i++) {
      assertThat(
              sql()
                  .of(
                      """
                      with gone as (delete from @@job_attempt where job_id = :id returning *)
                      insert into @@job_attempt select * from gone
                      """)
                  .param("id", id)
                  .update())
          .isEqualTo(1);
      pass(i);
    }
    assertCounts(acme, "succeeded", 1, "added", 0);
  }

  @Test
  void theIndexOfEndsKnowsAllThatIsThere() {
    Api acme = Work.tenant(installation.api(), "index");
    work(acme, 1);
    installation.bean(0, RollUp.class).tidy();
    long unknown =
        sql()
            .of(
                """
                select coalesce(sum(brin_summarize_new_values(inhrelid)), -1) from pg_inherits
                 where inhparent = '@@job_attempt_ended_at'::regclass
                """)
            .query((row, number) -> row.getLong(1))
            .single();
    assertThat(unknown).isZero();
  }

  @Test
  void afterALongPauseItIsCountedInSlices() {
    Api acme = Work.tenant(installation.api(), "slices");
    sql()
        .inTransaction(
            () -> {
              pass(0);
              sql().of("update @statistics_mark set at = at - interval '1 hour'").update();
              addByHand("slices", 1);
              assertThat(installation.bean(0, RollUp.class).step()).isTrue();
            });
    pass(1);
    assertCounts(acme, "added", 1, "succeeded", 1);
  }
}
