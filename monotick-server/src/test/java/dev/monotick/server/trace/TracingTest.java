package dev.monotick.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.ApiKeys;
import dev.monotick.server.access.Role;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import dev.monotick.server.trace.Collector.Received;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What a collector of traces hears of a job, from the request to the call. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class TracingTest {

  private static final String CALLER = "00f067aa0ba902b7";

  private final Collector collector = new Collector();
  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.tracing.endpoint", collector.url())
          .with("monotick.public.url", "https://monotick.example")
          .with("monotick.remote.interval", "100ms")
          .with("monotick.prometheus.open", "true")
          .with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    receiver.answers(
        call ->
            switch (call.path()) {
              case "/long" -> 202;
              case "/twice" -> "1".equals(call.headers().get("Monotick-Attempt")) ? 500 : 200;
              default -> 200;
            });
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
    collector.close();
  }

  private static String newTrace() {
    byte[] random = new byte[16];
    ThreadLocalRandom.current().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Somebody who has begun a trace. */
  private Api in(String trace) {
    return installation.api().with("traceparent", "00-" + trace + "-" + CALLER + "-01");
  }

  private Received span(String trace, String name) {
    return collector.await(name, span -> span.trace().equals(trace) && span.name().equals(name));
  }

  private Received child(Received parent, String name) {
    return collector.await(
        name + " of " + parent,
        span ->
            span.trace().equals(parent.trace())
                && span.parent().equals(parent.id())
                && span.name().equals(name));
  }

  private Receiver.Call call(String path) {
    Eventually.until(
        path + " is called", () -> receiver.calls().stream().anyMatch(c -> c.path().equals(path)));
    return receiver.calls().stream().filter(c -> c.path().equals(path)).findFirst().orElseThrow();
  }

  @Test
  void requestJobRunAndCallAreOneTrace() {
    String trace = newTrace();
    String id =
        Work.create(
            in(trace).with("tracestate", "vendor=value"),
            Work.http(receiver.url("/one?token=hush")));

    Received request = span(trace, "POST /v1/jobs");
    assertThat(request.parent()).isEqualTo(CALLER);
    assertThat(request.is(SpanKind.SPAN_KIND_SERVER)).isTrue();
    assertThat(request.replica()).isEqualTo("replica-1");
    assertThat(request.says())
        .containsEntry("http.route", "/v1/jobs")
        .containsEntry("http.request.method", "POST")
        .containsEntry("http.response.status_code", "201")
        .containsEntry("monotick.tenant", "default");

    Received added = child(request, "enqueue http");
    assertThat(added.is(SpanKind.SPAN_KIND_PRODUCER)).isTrue();
    assertThat(added.says())
        .containsEntry("monotick.job.id", id)
        .containsEntry("monotick.job.new", "true")
        .containsEntry("monotick.tenant", "default");

    Received run = child(added, "run http");
    assertThat(run.is(SpanKind.SPAN_KIND_CONSUMER)).isTrue();
    assertThat(run.says())
        .containsEntry("monotick.job.id", id)
        .containsEntry("monotick.job.attempt", "1")
        .containsEntry("monotick.job.outcome", "SUCCEEDED")
        .containsEntry("monotick.tenant", "default");
    assertThat(run.failed()).isFalse();

    Receiver.Call heard = call("/one?token=hush");
    Received made = child(run, heard.method());
    assertThat(made.is(SpanKind.SPAN_KIND_CLIENT)).isTrue();
    assertThat(made.says())
        .containsEntry("http.request.method", heard.method())
        .containsEntry("server.address", "127.0.0.1")
        .containsEntry("http.response.status_code", "200");
    assertThat(heard.headers())
        .containsEntry("traceparent", made.traceparent())
        .containsEntry("tracestate", "vendor=value");

    assertThat(collector.spans().toString()).doesNotContain("hush");
    assertThat(collector.paths()).containsOnly("/v1/traces");
  }

  @Test
  void attemptsAreInTheTraceOfTheirJob() {
    String trace = newTrace();
    Work.create(in(trace), Work.http(receiver.url("/twice")));

    Received first = attempt(trace, "1");
    assertThat(first.failed()).isTrue();
    assertThat(first.says())
        .containsEntry("monotick.job.outcome", "FAILED")
        .containsEntry("error.type", "CallFailedException");
    Received refused = child(first, call("/twice").method());
    assertThat(refused.failed()).isTrue();
    assertThat(refused.says()).containsEntry("error.type", "500");

    Received second = attempt(trace, "2");
    assertThat(second.parent()).isEqualTo(first.parent());
    assertThat(second.says()).containsEntry("monotick.job.outcome", "SUCCEEDED");
    child(second, call("/twice").method());
  }

  private Received attempt(String trace, String number) {
    return collector.await(
        "attempt " + number,
        span ->
            span.trace().equals(trace) && number.equals(span.says().get("monotick.job.attempt")));
  }

  @Test
  void eachJobOfABatchHasASpanOfItsOwn() {
    String trace = newTrace();
    Work.expect(
        201,
        in(trace)
            .post(
                "/v1/jobs/batch",
                Api.json(
                    "jobs",
                    List.of(Work.http(receiver.url("/b1")), Work.http(receiver.url("/b2"))))));

    Received request = span(trace, "POST /v1/jobs/batch");
    for (String path : List.of("/b1", "/b2")) {
      String heard = String.valueOf(call(path).headers().get("traceparent"));
      Received made = collector.await(path, span -> span.traceparent().equals(heard));
      Received run = collector.await("run", span -> span.id().equals(made.parent()));
      Received added = collector.await("enqueue", span -> span.id().equals(run.parent()));
      assertThat(added.parent()).isEqualTo(request.id());
    }
    assertThat(collector.trace(trace).stream().filter(s -> s.name().equals("enqueue http")))
        .hasSize(2);
  }

  @Test
  void aJobThatNamesATraceBelongsToThatOne() {
    String asked = newTrace();
    String named = newTrace();
    Work.create(
        in(asked),
        Work.http(
            receiver.url("/named"),
            "headers",
            Api.json("traceparent", "00-" + named + "-" + CALLER + "-01")));

    Received added = span(named, "enqueue http");
    assertThat(added.parent()).isEqualTo(CALLER);
    assertThat(added.whole().getLinksCount()).isEqualTo(1);
    child(added, "run http");
    assertThat(span(asked, "POST /v1/jobs").whole().getLinksCount()).isZero();
  }

  @Test
  void aFireBeginsATraceAndATriggerIsPartOfItsRequest() {
    Api.Answer made =
        Work.expect(
            201,
            installation
                .api()
                .post(
                    "/v1/schedules",
                    Api.json(
                        "name",
                        "traced",
                        "every",
                        "PT1S",
                        "job",
                        Work.http(receiver.url("/fired")))));
    String schedule = made.text("id");
    Received fired =
        collector.await(
            "a fire",
            span ->
                span.name().equals("enqueue http")
                    && schedule.equals(span.says().get("monotick.schedule.id")));
    assertThat(fired.parent()).isEmpty();
    assertThat(fired.says().get("monotick.schedule.nominal"))
        .isEqualTo(child(fired, "run http").says().get("monotick.schedule.nominal"))
        .endsWith("Z");

    String trace = newTrace();
    Api.Answer triggered = in(trace).post("/v1/schedules/" + schedule + "/trigger");
    assertThat(triggered.status()).as(triggered.raw().body()).isBetween(200, 202);
    Received request = span(trace, "POST /v1/schedules/{id}/trigger");
    child(child(request, "enqueue http"), "run http");
    installation.api().post("/v1/schedules/" + schedule + "/disable");
  }

  @Test
  void aCallbackGoesOnWithTheTraceOfTheCall() {
    String trace = newTrace();
    Work.create(
        in(trace),
        Api.json(
            "kind", "http", "payload", Api.json("url", receiver.url("/long"), "callback", true)));
    Receiver.Call heard = call("/long");
    String parent = String.valueOf(heard.headers().get("traceparent"));

    Work.expect(
        200,
        installation
            .api()
            .as(null)
            .with("traceparent", parent)
            .with(
                "Monotick-Callback-Token",
                String.valueOf(heard.headers().get("Monotick-Callback-Token")))
            .post(
                String.valueOf(heard.headers().get("Monotick-Callback"))
                    .replace("https://monotick.example", ""),
                Api.json("outcome", "SUCCEEDED")));

    Received made = collector.await("the call", span -> span.traceparent().equals(parent));
    assertThat(made.trace()).isEqualTo(trace);
    child(made, "POST /v1/callbacks/{id}");
    Received ended =
        collector.await(
            "the run that ends the job",
            span ->
                span.trace().equals(trace)
                    && "SUCCEEDED".equals(span.says().get("monotick.job.outcome")));
    assertThat(ended.parent()).isEqualTo(span(trace, "enqueue http").id());
  }

  @Test
  void anAgentIsHandedTheTraceOfTheRun() {
    Api agent =
        installation
            .api()
            .as(
                installation
                    .bean(0, ApiKeys.class)
                    .make(Optional.of("default"), Role.AGENT, "agent", "test", null)
                    .secret());
    Work.expect(200, agent.post("/v1/agents/register", Api.json("name", "berlin")));
    String trace = newTrace();
    Work.create(in(trace), Api.json("kind", "agent", "payload", Api.json("command", "echo")));

    Api.Answer polled = agent.post("/v1/agents/berlin/poll", Api.json("max", 1, "waitSeconds", 20));

    Received run = span(trace, "run agent");
    assertThat(run.says()).containsEntry("monotick.job.outcome", "SNOOZED");
    assertThat(polled.body().path("leases").path(0).path("trace").path("traceparent").asString(""))
        .as(polled.raw().body())
        .isEqualTo(run.traceparent());
    assertThat(polled.body().path("leases").path(0).path("work").has("trace")).isFalse();
    // It was answered later, by another thread, and is a span all the same.
    collector.await("the poll", span -> span.name().equals("POST /v1/agents/{name}/poll"));
  }

  @Test
  void whatTheCallerDoesNotSampleIsNotSentButHandedOn() {
    String trace = newTrace();
    Work.create(
        installation.api().with("traceparent", "00-" + trace + "-" + CALLER + "-00"),
        Work.http(receiver.url("/unsampled")));

    assertThat(call("/unsampled").headers().get("traceparent"))
        .startsWith("00-" + trace + "-")
        .endsWith("-00");
    flush();
    assertThat(collector.trace(trace)).isEmpty();
  }

  @Test
  void healthAndMetricsAreNotTracedAndRefusalsAre() {
    Work.expect(200, installation.api().get("/health/live"));
    Work.expect(200, installation.api().get("/prometheus"));
    String trace = newTrace();
    Work.expect(404, in(trace).get("/v1/jobs/999999"));
    Work.expect(401, in(trace).as(null).get("/v1/schedules"));
    Work.expect(404, in(trace).get("/v1/nowhere/secret-path"));
    assertThat(in(trace).call("BREW", "/v1/jobs", null).status()).isBetween(400, 499);
    flush();

    assertThat(collector.trace(trace))
        .extracting(Received::name)
        .containsExactlyInAnyOrder("GET /v1/jobs/{id}", "GET", "GET", "_OTHER");
    assertThat(collector.trace(trace)).noneMatch(Received::failed);
    assertThat(collector.spans().toString()).doesNotContain("health", "prometheus", "secret-path");
  }

  /** What ended before a span that has arrived has arrived as well. */
  private void flush() {
    String last = newTrace();
    in(last).get("/v1/jobs");
    span(last, "GET /v1/jobs");
  }
}
