package dev.monotick.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Jobs that call services: what is sent, what becomes of answers, and callbacks. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class HttpJobTest {

  private static final String OLD_KEY = "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=";
  private static final String KEY = "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=";

  private final Target target = new Target();
  private final Installation installation =
      Installation.create()
          .with("monotick.http.allow-private", "false")
          .with("monotick.http.allow", "127.0.0.1")
          .with("monotick.http.timeout", "2s")
          .with("monotick.public.url", "https://monotick.example/")
          .with("monotick.secret.key", OLD_KEY)
          .with("monotick.callback.timeout", "1s")
          .with("monotick.remote.interval", "100ms")
          .with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    target.close();
  }

  private String create(Object... payload) {
    Api.Answer answer =
        installation.api().post("/v1/jobs", Api.json("kind", "http", "payload", Api.json(payload)));
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(201);
    return answer.text("id");
  }

  private Job job(String id) {
    return installation.bean(0, Jobs.class).find(JobId.parse(id)).orElseThrow();
  }

  private Job awaitEnd(String id) {
    Eventually.until(() -> "job " + job(id) + " ends", () -> job(id).state().isTerminal());
    return job(id);
  }

  private static String detail(Job job) {
    return job.attempts().get(job.attempts().size() - 1).detail().orElse("");
  }

  private static String result(Job job) {
    return new String(job.result().orElseThrow(), StandardCharsets.UTF_8);
  }

  @Test
  void aCallSaysWhatItIsFor() {
    String id =
        create(
            "url",
            target.url("/says"),
            "method",
            "PUT",
            "headers",
            Map.of("X-Job", "j-{{job.id}}", "Content-Type", "text/plain"),
            "body",
            "{{ job.id }} {{attempt}} {{tenant}} {{idempotencyKey}} [{{nominalTime}}]");

    assertThat(awaitEnd(id).state().name()).isEqualTo("SUCCEEDED");
    assertThat(target.heard("/says"))
        .singleElement()
        .satisfies(
            heard -> {
              assertThat(heard.method()).isEqualTo("PUT");
              assertThat(heard.body()).isEqualTo(id + " 1 default job-" + id + " []");
              assertThat(heard.header("X-Job")).isEqualTo("j-" + id);
              assertThat(heard.header("Content-Type")).isEqualTo("text/plain");
              assertThat(heard.header("Idempotency-Key")).isEqualTo("job-" + id);
              assertThat(heard.header("Monotick-Job")).isEqualTo(id);
              assertThat(heard.header("Monotick-Attempt")).isEqualTo("1");
              assertThat(heard.header("Monotick-Fence")).isEqualTo("1");
              assertThat(heard.header("Monotick-Signature")).isEmpty();
            });
    assertThat(result(job(id))).contains("\"status\":200").contains("\"body\":\"answer\"");
  }

  @Test
  void whatCannotBeIsRefusedAtCreation() {
    refused("payload.body", "url", "http://a.example", "body", "{{job.nme}}");
    refused("payload.body", "url", "http://a.example", "body", "{{secret.x}}");
    refused("payload.headers.X", "url", "http://a.example", "headers", Map.of("X", "{{what}}"));
    refused("payload.headers.X", "url", "http://a.example", "headers", Map.of("X", "a\r\nB: c"));
    refused("payload.headers", "url", "http://a.example", "headers", Map.of("Host", "b"));
    refused("payload.headers", "url", "http://a.example", "headers", Map.of("monotick-job", "b"));
    refused("payload.url", "url", "http://2130706433/");
    refused("payload.url", "url", "gopher://a.example");
    refused("payload.method", "url", "http://a.example", "method", "TRACE");
    refused("payload.expectedStatus", "url", "http://a.example", "expectedStatus", List.of(99));
    refused("payload.retryOn", "url", "http://a.example", "retryOn", List.of("sometimes"));
    refused("payload.timeout", "url", "http://a.example", "timeout", "soon");
    refused("payload.callbackTimeout", "url", "http://a.example", "callbackTimeout", "P1000D");
    refused("payload.headerz", "url", "http://a.example", "headerz", Map.of());
  }

  private void refused(String field, Object... payload) {
    Api.Answer answer =
        installation.api().post("/v1/jobs", Api.json("kind", "http", "payload", Api.json(payload)));
    assertThat(answer.status()).as(field + " " + answer.body()).isEqualTo(400);
    assertThat(answer.text("field")).isEqualTo(field);
  }

  @Test
  void failuresThatAnotherAttemptMayMendAreTriedAgain() {
    AtomicInteger calls = new AtomicInteger();
    target.on(
        "/busy",
        (exchange, heard) -> {
          if (calls.incrementAndGet() == 1) {
            exchange.getResponseHeaders().set("Retry-After", "0");
            Target.status(429).to(exchange, heard);
          } else {
            Target.status(200).to(exchange, heard);
          }
        });
    target.on("/gone", Target.text(410, "no more"));
    target.on("/teapot", Target.status(418));
    target.on("/odd", Target.status(503));

    assertThat(awaitEnd(create("url", target.url("/busy"))).state().name()).isEqualTo("SUCCEEDED");
    Job gone = awaitEnd(create("url", target.url("/gone")));
    assertThat(gone.state().name()).isEqualTo("DEAD");
    assertThat(detail(gone)).contains("answered 410: no more");
    assertThat(gone.attempts()).hasSize(1);
    assertThat(
            awaitEnd(create("url", target.url("/teapot"), "expectedStatus", List.of(418)))
                .state()
                .name())
        .isEqualTo("SUCCEEDED");
    Job strict = awaitEnd(create("url", target.url("/odd"), "retryOn", List.of("429")));
    assertThat(strict.state().name()).isEqualTo("DEAD");
    assertThat(target.heard("/odd")).hasSize(1);
  }

  @Test
  void aCallThatMayHaveBeenHeardIsNotRepeatedIfSoWished() {
    target.on("/hang", (exchange, heard) -> {});

    Job job = awaitEnd(create("url", target.url("/hang"), "retryOn", List.of("CONNECT", "5xx")));

    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(detail(job)).contains("may have been received");
    assertThat(target.heard("/hang")).hasSize(1);
  }

  @Test
  void privateAddressesAreNotCalled() {
    Job job = awaitEnd(create("url", "http://127.0.0.2:" + target.port() + "/inside"));
    Job name = awaitEnd(create("url", "http://[::1]:" + target.port() + "/inside"));

    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(detail(job)).contains("refused").contains("MONOTICK_HTTP_ALLOW");
    assertThat(name.state().name()).isEqualTo("DEAD");
    assertThat(target.heard("/inside")).isEmpty();
  }

  @Test
  void slowServicesAreCutOff() {
    target.on("/drip", Target.drip());

    Job byItself =
        awaitEnd(create("url", target.url("/drip"), "timeout", "PT0.3S", "retryOn", List.of()));
    Job bySetting = awaitEnd(create("url", target.url("/drip"), "retryOn", List.of()));

    assertThat(detail(byItself)).contains("took too long");
    assertThat(took(byItself)).isBetween(Duration.ofMillis(300), Duration.ofMillis(1_800));
    assertThat(detail(bySetting)).contains("took too long");
    assertThat(took(bySetting)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
  }

  private static Duration took(Job job) {
    return job.attempts().get(job.attempts().size() - 1).took();
  }

  @Test
  void secretsSignAndFillHeadersAndAreNeverShown() {
    Api api = installation.api();
    Api.Answer made =
        api.post("/v1/secrets", Api.json("name", "hook", "value", "very-secret-value"));
    assertThat(made.status()).isEqualTo(201);
    assertThat(api.post("/v1/secrets", Api.json("name", "hook", "value", "b")).status())
        .isEqualTo(409);

    String id =
        create(
            "url",
            target.url("/signed"),
            "body",
            "{}",
            "secret",
            "hook",
            "headers",
            Map.of("Authorization", "Bearer {{secret.hook}}"));
    assertThat(awaitEnd(id).state().name()).isEqualTo("SUCCEEDED");
    assertThat(target.heard("/signed")).singleElement().satisfies(this::isSigned);

    assertThat(api.get("/v1/secrets").body().toString()).contains("hook").doesNotContain("very-");
    assertThat(api.get("/v1/secrets/hook").body().toString()).doesNotContain("very-");
    assertThat(api.call("PUT", "/v1/secrets/hook", Api.json("value", "c")).status()).isEqualTo(428);
    assertThat(
            api.with("If-Match", made.header("ETag"))
                .call("PUT", "/v1/secrets/hook", Api.json("value", "c"))
                .status())
        .isEqualTo(200);
    assertThat(
            api.with("If-Match", made.header("ETag"))
                .call("DELETE", "/v1/secrets/hook", null)
                .status())
        .isEqualTo(412);
    assertThat(api.with("If-Match", "*").call("DELETE", "/v1/secrets/hook", null).status())
        .isEqualTo(204);
    assertThat(detail(awaitEnd(create("url", target.url("/x"), "secret", "hook"))))
        .contains("there is no secret");
  }

  private void isSigned(Target.Heard heard) {
    assertThat(heard.header("Authorization")).isEqualTo("Bearer very-secret-value");
    String signature = heard.header("Monotick-Signature");
    long at = Long.parseLong(signature.substring(2, signature.indexOf(',')));
    byte[] expected =
        CallHeaders.sign(
            "very-secret-value",
            Instant.ofEpochSecond(at),
            "POST",
            URI.create(target.url("/signed")),
            "{}".getBytes(StandardCharsets.UTF_8));
    assertThat(signature).isEqualTo("t=" + at + ",v1=" + HexFormat.of().formatHex(expected));
  }

  @Test
  void keysOfSecretsCanBeRotated() {
    installation.api().post("/v1/secrets", Api.json("name", "rotated", "value", "abc"));
    Sql sql = installation.bean(0, Sql.class);
    byte[] stored =
        sql.of("select sealed from @secret where name = 'rotated'").query(byte[].class).single();
    assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("abc");

    try (Installation other =
        installation
            .sibling()
            .with("monotick.replica.name", "other")
            .with("monotick.secret.key", KEY + "," + OLD_KEY)) {
      Api api = other.start();
      var secrets = other.bean(0, dev.monotick.server.secret.SecretLookup.class);
      String before = api.get("/v1/secrets/rotated").text("keyId");
      assertThat(secrets.value("default", "rotated")).contains("abc");
      assertThat(api.get("/v1/secrets/rotated").text("keyId")).isNotEqualTo(before);
      assertThat(secrets.value("default", "rotated")).contains("abc");
      assertThat(secrets.value("other", "rotated")).isEmpty();
    }
  }

  @Test
  void aServiceMayAnswerLater() {
    target.on("/later", Target.status(202));
    String id = create("url", target.url("/later"), "callback", true, "callbackTimeout", "PT1M");
    Eventually.until("it is called", () -> !target.heard("/later").isEmpty());
    Target.Heard heard = target.heard("/later").get(0);
    String path = heard.header("Monotick-Callback").replace("https://monotick.example", "");
    Api service =
        installation
            .api()
            .as(null)
            .with("Monotick-Callback-Token", heard.header("Monotick-Callback-Token"));
    Eventually.until("it waits", () -> job(id).state().name().equals("SCHEDULED"));

    assertThat(installation.api().as(null).post(path, Api.json("outcome", "SUCCEEDED")).status())
        .isEqualTo(401);
    assertThat(
            service
                .post(path, Api.json("outcome", "RUNNING", "progress", 0.5, "doing", "half"))
                .status())
        .isEqualTo(200);
    assertThat(installation.api().get("/v1/jobs/" + id + "/remote-work").text("doing"))
        .isEqualTo("half");
    Object end = Api.json("outcome", "SUCCEEDED", "result", Api.json("rows", 7));
    assertThat(service.post(path, end).status()).isEqualTo(200);
    assertThat(service.post(path, end).status()).as("said twice").isEqualTo(200);
    assertThat(service.post(path, Api.json("outcome", "FAILED")).status()).isEqualTo(409);

    Job job = awaitEnd(id);
    assertThat(job.state().name()).isEqualTo("SUCCEEDED");
    assertThat(result(job)).isEqualTo("{\"rows\":7}");
    assertThat(target.heard("/later")).hasSize(1);
    assertThat(job.attempts().get(job.attempts().size() - 1).attempt()).isEqualTo(1);
  }

  @Test
  void aServiceMayCallBackBeforeItHasAnswered() {
    target.on(
        "/fast",
        (exchange, heard) -> {
          String path = heard.header("Monotick-Callback").replace("https://monotick.example", "");
          installation
              .api()
              .as(null)
              .with("Monotick-Callback-Token", heard.header("Monotick-Callback-Token"))
              .post(path, Api.json("outcome", "SUCCEEDED"));
          Target.status(202).to(exchange, heard);
        });

    assertThat(awaitEnd(create("url", target.url("/fast"), "callback", true)).state().name())
        .isEqualTo("SUCCEEDED");
  }

  @Test
  void aCallThatNobodyEndsFailsItsAttempt() {
    target.on("/never", Target.status(202));

    String id = create("url", target.url("/never"), "callback", true);

    Eventually.until("a second call", () -> target.heard("/never").size() >= 2);
    assertThat(target.heard("/never").get(1).header("Monotick-Attempt")).isEqualTo("2");
    installation.bean(0, Jobs.class).cancel(JobId.parse(id), "test", "");
    Eventually.until(
        "the work is called off",
        () ->
            !List.of("WAITING", "LEASED")
                .contains(installation.api().get("/v1/jobs/" + id + "/remote-work").text("state")));
  }

  @Test
  void aFailureElsewhereIsTriedAgainUnlessItIsForGood() {
    target.on(
        "/fails",
        (exchange, heard) -> {
          boolean first = heard.header("Monotick-Attempt").equals("1");
          String path = heard.header("Monotick-Callback").replace("https://monotick.example", "");
          installation
              .api()
              .as(null)
              .with("Monotick-Callback-Token", heard.header("Monotick-Callback-Token"))
              .post(path, Api.json("outcome", "FAILED", "error", "broken", "permanent", !first));
          Target.status(202).to(exchange, heard);
        });

    Job job = awaitEnd(create("url", target.url("/fails"), "callback", true));

    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(detail(job)).isEqualTo("broken");
    assertThat(target.heard("/fails")).hasSize(2);
  }
}
