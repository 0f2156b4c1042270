package dev.monotick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** From a request to the call it asked for, through everything in between. */
@TestInstance(Lifecycle.PER_CLASS)
class ThinnestPathTest {

  private final Receiver receiver = new Receiver();
  private Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  @Test
  void aJobIsCalled() {
    Api api = installation.api();

    Api.Answer created =
        api.post(
            "/v1/jobs",
            Api.json("kind", "http", "payload", Api.json("url", receiver.url("/thin"))));

    assertThat(created.status()).isEqualTo(201);
    String id = created.text("id");
    Eventually.until(
        "job " + id + " succeeds",
        () -> api.get("/v1/jobs/" + id).text("state").equals("SUCCEEDED"));
    assertThat(receiver.calls())
        .filteredOn(call -> call.path().equals("/thin"))
        .singleElement()
        .satisfies(call -> assertThat(call.headers().get("Monotick-Job")).isEqualTo(id));
  }

  @Test
  void nobodyIsLetInWithoutAKey() {
    assertThat(installation.api().as(null).get("/v1/jobs/1").status()).isEqualTo(401);
    assertThat(installation.api().as("mt_test_wrong").get("/v1/jobs/1").status()).isEqualTo(401);
    assertThat(installation.api().as(null).get("/health").status()).isEqualTo(200);
  }

  @Test
  void aKeyIsUsedOnce() {
    Object body = Api.json("kind", "http", "payload", Api.json("url", receiver.url("/once")));
    Api api = installation.api().with("Idempotency-Key", "k1");

    Api.Answer first = api.post("/v1/jobs", body);
    Api.Answer second = api.post("/v1/jobs", body);
    Api.Answer other =
        api.post(
            "/v1/jobs",
            Api.json("kind", "http", "payload", Api.json("url", receiver.url("/other"))));

    assertThat(second.status()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(other.status()).isEqualTo(409);
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    Api.Answer answer =
        installation.api().post("/v1/jobs", Api.json("kind", "http", "payload", Api.json()));

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text("field")).isEqualTo("payload.url");
    assertThat(installation.api().post("/v1/jobs", "{").status()).isEqualTo(400);
    assertThat(installation.api().post("/v1/jobs", "{\"kinds\":1}").text("field"))
        .isEqualTo("kinds");
  }
}
