package dev.monotick.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** What the engine tells of jobs is on record. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class EngineAuditTest {

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create().with("monotick.audit.engine-interval", "100ms");

  @BeforeAll
  void start() {
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

  @Test
  void aJobThatDiesIsOnItsTenantsRecord() {
    Api acme = Work.tenant(installation.api(), "acme");
    String id =
        Work.create(
            acme,
            Api.json(
                "kind",
                "http",
                "maxAttempts",
                1,
                "payload",
                Api.json("url", "http://127.0.0.1:9/")));
    Work.await(acme, id, "DEAD");

    Eventually.until("it is on record", () -> !dead(acme).isEmpty());
    JsonNode entry = dead(acme).path(0);
    assertThat(dead(acme)).hasSize(1);
    assertThat(entry.path("subject").asString()).isEqualTo("job/" + id);
    assertThat(entry.path("detail").path("kind").asString()).isEqualTo("http");
    assertThat(entry.path("detail").path("attempt").asInt()).isEqualTo(1);
    assertThat(entry.path("detail").path("replica").asString()).startsWith("replica-");
    assertThat(dead(installation.api())).as("of another tenant").isEmpty();
  }

  private static JsonNode dead(Api api) {
    return api.get("/v1/audit?action=job_dead").body().path("items");
  }

  @Test
  void runsOfAReplicaThatIsGoneAreRescuedAndThatIsOnRecord() {
    Api acme = Work.tenant(installation.api(), "rescued");
    String id = Work.create(acme, Work.http(receiver.url("/rescued"), "delay", "PT1H"));
    claimForSomebodyWhoIsGone(Long.parseLong(id));
    installation.start(); // whoever comes looks what was left

    Work.await(acme, id, "SUCCEEDED");

    Eventually.until("the rescue is on record", () -> rescues() == 1);
    assertThat(
            acme.get("/v1/jobs/" + id).body().path("attempts").path(0).path("outcome").asString())
        .isEqualTo("RESCUED");
  }

  /** As a replica does that claims it and is never heard of again. */
  private void claimForSomebodyWhoIsGone(long id) {
    int claimed =
        sql()
            .of(
                """
                with taken as (
                  delete from @@job_delayed where id = :id returning id, lane, run, attempt, flags),
                moved as (
                  insert into @@job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
                  select lane, -1, 0, 1, 0, 0, 0, 0 from taken)
                insert into @@job_claim (replica, number, ids, lanes, runs, attempts, flags)
                select gen_random_uuid(), 1, array[id], array[lane], array[run + 1],
                       array[(attempt + 1)::smallint], array[flags]
                  from taken
                """)
            .param("id", id)
            .update();
    assertThat(claimed).isEqualTo(1);
  }

  private int rescues() {
    int runs = 0;
    for (JsonNode entry :
        installation
            .api()
            .get("/v1/audit?scope=installation&action=jobs_rescued")
            .body()
            .path("items")) {
      assertThat(entry.path("subject").asString()).startsWith("replica/replica-");
      runs += entry.path("detail").path("runs").asInt();
    }
    return runs;
  }
}
