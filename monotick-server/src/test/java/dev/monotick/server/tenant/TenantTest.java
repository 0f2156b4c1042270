package dev.monotick.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Tenants and their keys, over REST. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class TenantTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "4")
          .with("monotick.quota.retained-jobs", "40")
          .with("monotick.quota.agents", "unlimited")
          .with("monotick.quota.schedules", "0");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private Api admin() {
    return installation.api();
  }

  private List<String> audited(String tenant) {
    return installation
        .bean(0, Sql.class)
        .of("select action from @audit_event where tenant = :tenant order by seq")
        .param("tenant", tenant)
        .query((row, number) -> row.getString(1))
        .list();
  }

  @Test
  void aTenantIsCreatedChangedAndDeleted() {
    Api.Answer made =
        Work.expect(
            201,
            admin()
                .post(
                    "/v1/tenants",
                    Api.json(
                        "name",
                        "acme",
                        "title",
                        "Acme",
                        "weight",
                        3,
                        "quotas",
                        Api.json("agents", 7, "schedules", "unlimited"))));
    assertThat(made.header("Location")).isEqualTo("/v1/tenants/acme");
    assertThat(made.body().path("quotas").path("schedules").asString()).isEqualTo("unlimited");
    assertThat(made.body().path("quotas").path("activeJobs").isNull()).isTrue();
    Work.expect(409, admin().post("/v1/tenants", Api.json("name", "acme")));

    Api.Answer got = admin().get("/v1/tenants/acme");
    Api.Answer unsaid = admin().call("PATCH", "/v1/tenants/acme", Api.json("weight", 5));
    Api.Answer changed =
        admin()
            .with("If-Match", got.header("ETag"))
            .call("PATCH", "/v1/tenants/acme", Api.json("weight", 5));
    Api.Answer stale =
        admin()
            .with("If-Match", got.header("ETag"))
            .call("PATCH", "/v1/tenants/acme", Api.json("weight", 6));
    Work.expect(428, unsaid);
    assertThat(Work.expect(200, changed).body().path("weight").asInt()).isEqualTo(5);
    assertThat(changed.body().path("title").asString()).isEqualTo("Acme");
    Work.expect(412, stale);
    assertThat(
            installation
                .bean(0, Sql.class)
                .of("select weight from @@job_tenant where tenant = 'acme'")
                .query(Integer.class)
                .single())
        .as("the engine's")
        .isEqualTo(5);

    Work.expect(204, admin().call("DELETE", "/v1/tenants/acme", null));
    Work.expect(404, admin().get("/v1/tenants/acme"));
    assertThat(audited("acme")).containsExactly("tenant_created", "tenant_changed");
    assertThat(audited("")).contains("tenant_deleted");
  }

  @Test
  void whatIsNotEmptyIsNotDeletedAndSaysWhy() {
    Api acme = Work.tenant(admin(), "busy");
    String id = Work.create(acme, Work.later());

    Api.Answer refused = admin().call("DELETE", "/v1/tenants/busy", null);
    assertThat(Work.expect(409, refused).text("detail")).contains("1 activeJobs");

    Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel"));
    Work.expect(204, admin().call("DELETE", "/v1/tenants/busy", null));
    Eventually.until("its keys are of no use", () -> acme.get("/v1/jobs").status() / 100 == 4);
    assertThat(
            installation
                .bean(0, Sql.class)
                .of(
                    "select count(*) from @@job j join @@job_lane l on l.id = j.lane"
                        + " where l.tenant = 'busy'")
                .query(Long.class)
                .single())
        .isZero();
    Work.expect(409, admin().call("DELETE", "/v1/tenants/default", null));
  }

  /** Also if no other job runs after its last one. */
  @Test
  void aTenantWhoseJobsHaveEndedIsDeleted() {
    try (Receiver receiver = new Receiver()) {
      Api acme = Work.tenant(admin(), "worked");
      Work.await(acme, Work.create(acme, Work.http(receiver.url("/worked"))), "SUCCEEDED");

      Eventually.until(
          "the engine is done with the job",
          () -> admin().call("DELETE", "/v1/tenants/worked", null).status() == 204);
    }
  }

  @Test
  void nobodyActsForATenantThatIsNotThereOrSuspended() {
    Api acme = Work.tenant(admin(), "shut");
    Api named = admin().with("Monotick-Tenant", "shut");
    Work.expect(200, acme.get("/v1/usage"));
    Work.expect(404, admin().with("Monotick-Tenant", "nobody").get("/v1/jobs"));
    Work.expect(404, admin().with("Monotick-Tenant", "nobody").post("/v1/jobs", Work.later()));
    Work.expect(403, acme.with("Monotick-Tenant", "default").get("/v1/jobs"));

    suspend("shut", true);

    Work.expect(403, acme.get("/v1/usage"));
    Work.expect(403, acme.post("/v1/jobs", Work.later()));
    Work.expect(403, named.get("/v1/jobs"));
    Api elsewhere = acme.at(installation.port(1));
    Eventually.until("the other replica knows", () -> elsewhere.get("/v1/usage").status() == 403);
    Work.expect(200, admin().get("/v1/tenants/shut"));
    suspend("shut", false);
    Work.expect(200, acme.get("/v1/usage"));
  }

  private void suspend(String tenant, boolean suspended) {
    Work.expect(
        200,
        admin()
            .with("If-Match", "*")
            .call("PATCH", "/v1/tenants/" + tenant, Api.json("suspended", suspended)));
  }

  @Test
  void tenantsAreListedInPages() {
    for (String name : List.of("list-a", "list-b", "list-c")) {
      Work.expect(201, admin().post("/v1/tenants", Api.json("name", name)));
    }
    List<String> seen = new ArrayList<>();
    String next = "";
    do {
      Api.Answer page =
          Work.expect(
              200, admin().get("/v1/tenants?limit=2" + (next.isEmpty() ? "" : "&after=" + next)));
      page.body().path("items").forEach(each -> seen.add(each.path("name").asString()));
      next = page.text("next");
    } while (!next.isEmpty());

    assertThat(seen).doesNotHaveDuplicates().contains("default", "list-a", "list-b", "list-c");
  }

  @Test
  void usageSaysHowFullItIs() {
    Api acme = Work.tenant(admin(), "usage", "retainedJobs", 20);
    Work.create(acme, Work.later());

    for (Api.Answer usage :
        List.of(acme.get("/v1/usage"), admin().get("/v1/tenants/usage/usage"))) {
      assertThat(Work.expect(200, usage).body().path("quotas").toString())
          .contains("{\"quota\":\"activeJobs\",\"used\":1,\"limit\":4,\"percent\":25.0}")
          .contains("{\"quota\":\"retainedJobs\",\"used\":1,\"limit\":20,\"percent\":5.0}")
          .contains("{\"quota\":\"agents\",\"used\":0,\"limit\":\"unlimited\",\"percent\":null}")
          .contains("{\"quota\":\"schedules\",\"used\":0,\"limit\":0,\"percent\":100.0}");
    }
    assertThat(admin().get("/v1/tenants/default/usage").raw().body())
        .contains("\"retainedJobs\",\"used\":0,\"limit\":40");
    Work.expect(404, admin().get("/v1/tenants/nobody/usage"));
  }

  @Test
  void tenantsAreForAdminsOfTheInstallation() {
    Api acme = Work.tenant(admin(), "small");

    for (Api.Answer answer :
        List.of(
            acme.get("/v1/tenants"),
            acme.get("/v1/tenants/small"),
            acme.get("/v1/tenants/small/usage"),
            acme.post("/v1/tenants", Api.json("name", "other")),
            acme.with("If-Match", "*").call("PATCH", "/v1/tenants/small", Api.json("weight", 9)),
            acme.call("DELETE", "/v1/tenants/small", null))) {
      assertThat(answer.status()).isEqualTo(403);
    }
  }

  @Test
  void badTenantsAreRefusedByName() {
    Api at = admin().with("If-Match", "*");
    assertThat(admin().post("/v1/tenants", Api.json("name", "")).text("field")).isEqualTo("name");
    assertThat(admin().post("/v1/tenants", "[]").status()).isEqualTo(400);
    assertThat(at.call("PATCH", "/v1/tenants/default", "{\"wait\":1}").text("field"))
        .isEqualTo("wait");
    assertThat(at.call("PATCH", "/v1/tenants/default", "{\"weight\":0}").text("field"))
        .isEqualTo("weight");
    assertThat(at.call("PATCH", "/v1/tenants/default", "{\"weight\":\"2\"}").text("field"))
        .isEqualTo("weight");
    for (String limit : List.of("-1", "1.5", "\"none\"", "true", "99999999999")) {
      assertThat(
              at.call("PATCH", "/v1/tenants/default", "{\"quotas\":{\"agents\":" + limit + "}}")
                  .text("field"))
          .isEqualTo("quotas.agents");
    }
    assertThat(at.call("PATCH", "/v1/tenants/default", "{\"quotas\":{\"cups\":1}}").text("field"))
        .isEqualTo("quotas.cups");
    assertThat(at.call("PATCH", "/v1/tenants/default", "{\"retainedPolicy\":\"X\"}").text("field"))
        .isEqualTo("retainedPolicy");
  }
}
