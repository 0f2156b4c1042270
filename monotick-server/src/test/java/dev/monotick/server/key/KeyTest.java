package dev.monotick.server.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** API keys over REST. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class KeyTest {

  private final Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  @Test
  void theSecretIsShownOnceAndNeverTheHash() {
    Api acme = Work.tenant(installation.api(), "acme");
    Api.Answer made =
        acme.with("Idempotency-Key", "one")
            .post("/v1/keys", Api.json("name", "robot", "role", "VIEWER", "expiresIn", "P1D"));
    Api.Answer again =
        acme.with("Idempotency-Key", "one")
            .post("/v1/keys", Api.json("name", "robot", "role", "VIEWER", "expiresIn", "P1D"));
    String id = made.body().path("key").path("id").asString();
    String secret = made.text("secret");

    assertThat(Work.expect(201, made).text("secret")).startsWith("mt_" + id + "_");
    assertThat(again.body().path("key").path("id").asString()).isEqualTo(id);
    assertThat(again.text("secret")).as("not kept anywhere").isEmpty();
    for (Api.Answer shown : java.util.List.of(acme.get("/v1/keys"), acme.get("/v1/keys/" + id))) {
      assertThat(Work.expect(200, shown).raw().body())
          .contains(id)
          .contains("robot")
          .doesNotContain("hash")
          .doesNotContain(secret.substring(secret.lastIndexOf('_')));
    }
    Api robot = acme.as(secret);
    Work.expect(200, robot.get("/v1/jobs"));
    Work.expect(403, robot.post("/v1/jobs", Work.later()));
    Work.expect(403, robot.get("/v1/keys"));
    assertThat(acme.get("/v1/keys/" + id).text("lastUsedAt")).isNotEmpty();
  }

  @Test
  void aRevokedKeyIsOfNoUse() {
    Api acme = Work.tenant(installation.api(), "revoking");
    Api.Answer made = acme.post("/v1/keys", Api.json("name", "gone", "role", "OPERATOR"));
    String id = made.body().path("key").path("id").asString();
    Api gone = acme.as(made.text("secret"));
    Work.expect(200, gone.get("/v1/jobs"));

    Work.expect(412, acme.with("If-Match", "\"9\"").call("DELETE", "/v1/keys/" + id, null));
    Work.expect(204, acme.call("DELETE", "/v1/keys/" + id, null));

    Work.expect(401, gone.get("/v1/jobs"));
    assertThat(acme.get("/v1/keys/" + id).text("revokedAt")).isNotEmpty();
    assertThat(
            installation
                .bean(0, Sql.class)
                .of("select action from @audit_event where tenant = 'revoking' order by seq")
                .query((row, number) -> row.getString(1))
                .list())
        .containsSubsequence("tenant_created", "key_created", "key_created", "key_revoked");
  }

  @Test
  void keysOfOthersAreNotThere() {
    Api one = Work.tenant(installation.api(), "one");
    Api two = Work.tenant(installation.api(), "two");
    String id =
        one.post("/v1/keys", Api.json("name", "mine", "role", "VIEWER"))
            .body()
            .path("key")
            .path("id")
            .asString();

    Work.expect(404, two.get("/v1/keys/" + id));
    Work.expect(404, two.call("DELETE", "/v1/keys/" + id, null));
    assertThat(two.get("/v1/keys").raw().body()).doesNotContain(id);
    Work.expect(403, two.get("/v1/keys?platform=true"));
    Work.expect(
        403, two.post("/v1/keys", Api.json("name", "x", "role", "ADMIN", "platform", true)));
    Work.expect(200, one.get("/v1/keys/" + id));
  }

  @Test
  void keysOfTheInstallationAreMadeByItsAdminsAndOneIsLeft() {
    Api admin = installation.api();
    Api.Answer made =
        admin.post("/v1/keys", Api.json("name", "second", "role", "ADMIN", "platform", true));
    Api second = admin.as(Work.expect(201, made).text("secret"));
    Work.expect(200, second.get("/v1/tenants"));
    assertThat(made.body().path("key").path("tenant").isNull()).isTrue();

    Work.expect(204, second.call("DELETE", "/v1/keys/test?platform=true", null));
    String id = made.body().path("key").path("id").asString();
    Api.Answer last = second.call("DELETE", "/v1/keys/" + id + "?platform=true", null);

    assertThat(Work.expect(409, last).text("type")).endsWith("last-admin");
    installation
        .bean(0, Sql.class)
        .of("update @api_key set revoked_at = null where id = 'test'")
        .update();
    Eventually.until("the first works again", () -> admin.get("/v1/tenants").status() == 200);
  }

  @Test
  void badKeysAreRefusedByName() {
    Api admin = installation.api();
    assertThat(admin.post("/v1/keys", Api.json("role", "ADMIN")).text("field")).isEqualTo("name");
    assertThat(admin.post("/v1/keys", Api.json("name", "x")).text("field")).isEqualTo("role");
    assertThat(admin.post("/v1/keys", Api.json("name", "x", "role", "KING")).text("field"))
        .isEqualTo("role");
    assertThat(
            admin
                .post(
                    "/v1/keys",
                    Api.json("name", "x", "role", "ADMIN", "expiresAt", "2001-01-01T00:00:00Z"))
                .text("field"))
        .isEqualTo("expiresAt");
    assertThat(
            admin
                .post("/v1/keys", Api.json("name", "x", "role", "ADMIN", "expiresIn", "-PT1S"))
                .text("field"))
        .isEqualTo("expiresIn");
    assertThat(
            admin
                .post("/v1/keys", Api.json("name", "y".repeat(101), "role", "ADMIN"))
                .text("field"))
        .isEqualTo("name");
  }
}
