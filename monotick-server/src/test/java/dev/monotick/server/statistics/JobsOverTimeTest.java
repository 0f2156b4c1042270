package dev.monotick.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** What is shown of jobs over time, and for how long. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobsOverTimeTest {

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.statistics.interval", "1s")
          .with("monotick.statistics.minutes", "5h")
          .with("monotick.statistics.hours", "48h")
          .with("monotick.statistics.days", "10d");

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private static JsonNode jobs(Api api, String query) {
    return Work.expect(200, api.get("/v1/statistics/jobs?" + query)).body();
  }

  @Test
  void itIsATaskThatOneReplicaRunsAndCountsByItself() {
    Api acme = Work.tenant(installation.api(), "acme");
    String id = Work.create(acme, Work.http(receiver.url("/one")));
    Work.await(acme, id, "SUCCEEDED");

    Eventually.until(
        () -> jobs(acme, "").path("total").toString(),
        () -> jobs(acme, "").path("total").path("counts").path("succeeded").asInt() == 1);

    assertThat(Instant.parse(jobs(acme, "").path("countedTo").asString()))
        .isAfter(Instant.parse(acme.get("/v1/jobs/" + id).text("createdAt")));
    JsonNode task = installation.api().get("/v1/tasks/statistics-roll-up").body();
    assertThat(task.path("policy").path("mode").asString()).isEqualTo("ONE_REPLICA");
  }

  @Test
  void everyStepIsThereAndSoIsWhatHappenedInIt() {
    Api acme = Work.tenant(installation.api(), "steps");
    Instant now = Instant.now();
    Instant begin = now.minus(Duration.ofHours(4));
    Instant ten = Instant.ofEpochSecond(Math.floorDiv(begin.getEpochSecond(), 600) * 600);
    put("steps", "MINUTE", ten.plusSeconds(60), 3, 1_500);
    put("steps", "MINUTE", ten.plusSeconds(540), 4, 90_000);
    put("steps", "MINUTE", ten.plusSeconds(600), 5, 1_500);

    JsonNode shown =
        jobs(acme, "from=" + ten.plusSeconds(30) + "&to=" + ten.plusSeconds(1_900) + "&step=PT10M");

    assertThat(shown.path("from").asString()).isEqualTo(ten.toString());
    assertThat(shown.path("to").asString()).isEqualTo(ten.plusSeconds(2_400).toString());
    assertThat(shown.path("points")).hasSize(4);
    List<Integer> added =
        shown
            .path("points")
            .valueStream()
            .map(p -> p.path("counts").path("added").asInt())
            .toList();
    assertThat(added).containsExactly(7, 5, 0, 0);
    JsonNode first = shown.path("points").path(0).path("duration");
    assertThat(first.path("count").asInt()).isEqualTo(7);
    assertThat(first.path("max").asDouble()).isEqualTo(0.09);
    assertThat(first.path("p99").asDouble()).isBetween(0.07, 0.09);
    assertThat(shown.path("points").path(3).path("duration").path("p99").asDouble()).isZero();
    assertThat(shown.path("total").path("counts").path("added").asInt()).isEqualTo(12);
    assertThat(shown.path("total").path("duration").path("p50").asDouble()).isBetween(0.001, 0.002);
  }

  /** Puts sums there as if so many jobs had been added, and had run for so long. */
  private void put(String tenant, String resolution, Instant at, int added, long micros) {
    installation
        .bean(0, Sql.class)
        .of(
            """
            insert into @job_statistic
            select :tenant, :resolution, cast(:at as timestamptz), 'http', 'default', :added,
                   0, 0, 0, 0, 0, 0, 0, 0, 0, :added, :added * :micros, :micros,
                   array_fill(0::bigint, array[width_bucket(:micros, cast(:bounds as bigint[]))])
                     || cast(:added as bigint), 0, 0, 0, '{}'
            """)
        .param("tenant", tenant)
        .param("resolution", resolution)
        .param("at", at.toString())
        .param("added", added)
        .param("micros", micros)
        .param("bounds", Histogram.boundsInMicros())
        .update();
  }

  private long kept(String resolution) {
    return installation
        .bean(0, Sql.class)
        .of("select count(*) from @job_statistic where tenant = 'old' and resolution = :resolution")
        .param("resolution", resolution)
        .query((row, number) -> row.getLong(1))
        .single();
  }

  @Test
  void eachResolutionIsKeptForItsTime() {
    Instant now = Instant.now();
    for (Duration age :
        List.of(
            Duration.ofHours(1), Duration.ofHours(6), Duration.ofHours(60), Duration.ofDays(20))) {
      for (String resolution : List.of("MINUTE", "HOUR", "DAY")) {
        put("old", resolution, now.minus(age), 1, 1);
      }
    }
    Eventually.until("days are forgotten", () -> kept("DAY") == 3);
    Eventually.until("hours are forgotten", () -> kept("HOUR") == 2);
    Eventually.until("minutes are forgotten", () -> kept("MINUTE") == 1);
  }

  @Test
  void whatCannotBeShownIsRefusedByItsName() {
    Api api = installation.api();
    Instant now = Instant.now();
    Map<String, String> wrong =
        Map.ofEntries(
            Map.entry("from=yesterday", "from"),
            Map.entry("to=soon", "to"),
            Map.entry("to=-1000000000-01-01T00:00:00Z", "to"),
            Map.entry("from=2030-01-01T00:00:00Z&to=2029-01-01T00:00:00Z", "from"),
            Map.entry("step=hour", "step"),
            Map.entry("step=PT0S", "step"),
            Map.entry("step=-PT1H", "step"),
            Map.entry("step=PT90S", "step"),
            Map.entry("step=PT1M0.5S", "step"),
            Map.entry("step=P9999D", "step"),
            Map.entry("step=PT2562047788015215H", "step"),
            Map.entry("from=" + now + "&to=9999-01-01T00:00:00Z&step=PT1M", "step"),
            Map.entry("step=PT1M&from=" + now.minus(Duration.ofHours(6)), "from"),
            Map.entry("step=PT1H&from=" + now.minus(Duration.ofHours(50)), "from"),
            Map.entry("step=P1D&from=" + now.minus(Duration.ofDays(11)), "from"));
    wrong.forEach(
        (query, field) ->
            assertThat(Work.expect(400, api.get("/v1/statistics/jobs?" + query)).text("field"))
                .as(query)
                .isEqualTo(field));
    assertThat(jobs(api, "step=P1D&from=" + now.minus(Duration.ofDays(9))).path("points"))
        .hasSizeBetween(10, 11);
  }
}
