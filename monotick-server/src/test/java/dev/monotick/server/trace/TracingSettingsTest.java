package dev.monotick.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be set about traces, and what a collector that is not there does to a server. */
@Tag("thorough")
class TracingSettingsTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

  private static ServerSettings with(Map<String, String> given) {
    return ServerSettings.read(given::get);
  }

  @Test
  void anEndpointThatCannotBeIsRefusedAtTheStart() {
    for (String wrong :
        List.of(
            "collector:4318",
            "ftp://collector/v1/traces",
            "http://",
            "http:///v1/traces",
            "http://collector:70000",
            "http://a b/",
            "https://collector/#here")) {
      assertThatThrownBy(() -> with(Map.of("monotick.tracing.endpoint", wrong)))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(
              "MONOTICK_TRACING_ENDPOINT",
              "such as http://collector:4318/v1/traces",
              wrong,
              "leave it out for none");
    }
    assertThatThrownBy(
            () -> with(Map.of("monotick.tracing.endpoint", "https://me:hush@collector/")))
        .hasMessageContaining("without a user")
        .message()
        .doesNotContain("hush");
    assertThatThrownBy(
            () -> Installation.create().with("monotick.tracing.endpoint", "collector").start())
        .hasMessageContaining("MONOTICK_TRACING_ENDPOINT");
  }

  @Test
  void aShareThatIsNoneIsRefused() {
    for (String wrong : List.of("-0.1", "1.1", "10%", "NaN", "half")) {
      assertThatThrownBy(() -> with(Map.of("monotick.tracing.sample", wrong)))
          .as(wrong)
          .hasMessageContainingAll("MONOTICK_TRACING_SAMPLE", "from 0 to 1", wrong);
    }
  }

  @Test
  void aCollectorThatWantsAKeyGetsIt() {
    try (Collector collector = new Collector()) {
      ServerSettings settings =
          with(
              Map.of(
                  "monotick.tracing.endpoint",
                  collector.url(),
                  "monotick.tracing.headers",
                  "api-key=hush, x-more=a=b"));
      Tracing tracing = new TracingConfiguration().tracing(settings);
      tracing.calling("GET", URI.create("https://example.com/")).close();
      tracing.close();

      assertThat(collector.headers())
          .singleElement()
          .satisfies(
              sent -> {
                assertThat(sent.getFirst("api-key")).isEqualTo("hush");
                assertThat(sent.getFirst("x-more")).isEqualTo("a=b");
              });
      assertThat(settings.shown().toString()).doesNotContain("hush");
    }
    for (String wrong : List.of("hush", "=hush", "api key=hush", "api-key=", "a=hush,,")) {
      assertThatThrownBy(() -> with(Map.of("monotick.tracing.headers", wrong)))
          .as(wrong)
          .hasMessageContainingAll("MONOTICK_TRACING_HEADERS", "must be name=value")
          .message()
          .doesNotContain("hush");
    }
  }

  @Test
  void asManyTracesAreSentAsIsSet() {
    assertThat(sent("1")).isEqualTo(400);
    assertThat(sent("0.5")).isBetween(120, 280);
  }

  /** Begins 400 traces and returns how many of them arrive. */
  private static int sent(String sample) {
    try (Collector collector = new Collector()) {
      Tracing tracing =
          new TracingConfiguration()
              .tracing(
                  with(
                      Map.of(
                          "monotick.tracing.endpoint",
                          collector.url() + "/a/path/of/its/own",
                          "monotick.tracing.sample",
                          sample)));
      for (int i = 0; i < 400; i++) {
        tracing.calling("GET", URI.create("https://example.com/")).close();
      }
      tracing.close(); // sends the rest
      assertThat(collector.paths()).containsOnly("/a/path/of/its/own");
      return collector.spans().size();
    }
  }

  @Test
  void aShareOfZeroSendsNothingAndHandsOnWhatCame() {
    try (Collector collector = new Collector();
        Receiver receiver = new Receiver()) {
      try (Installation installation =
          Installation.create()
              .with("monotick.tracing.endpoint", collector.url())
              .with("monotick.tracing.sample", "0")) {
        Api api = installation.start();
        Work.create(api.with("traceparent", PARENT), Work.http(receiver.url("/")));
        Eventually.until("it is called", () -> receiver.calls().size() == 1);
        assertThat(receiver.calls().get(0).headers()).containsEntry("traceparent", PARENT);
      } // a stop sends what is left
      assertThat(collector.paths()).isEmpty();
    }
  }

  @Test
  void nobodyWaitsForACollector() throws IOException {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    long stopping;
    // Connections are made, and nobody ever answers.
    ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    try (Receiver receiver = new Receiver()) {
      Installation installation =
          Installation.create()
              .with("monotick.tracing.endpoint", "http://127.0.0.1:" + silent.getLocalPort())
              .with("monotick.quota.active-jobs", "unlimited")
              .with("monotick.log.format", "json")
              .with("logging.level.org.springframework.web.servlet.DispatcherServlet", "debug")
              .with("logging.level.org.apache.hc.client5.http.impl.classic", "debug");
      try (installation) {
        Api api = installation.start();
        serve(api, receiver, "/silent");
        silent.close();
        serve(api, receiver, "/gone");
        stopping = System.nanoTime();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - stopping)).isLessThan(Duration.ofSeconds(15));
    } finally {
      System.setOut(before);
      silent.close();
    }
    logLinesSayTheirTrace(out.toString(StandardCharsets.UTF_8));
  }

  /** Has more done than fits into a batch of spans, in much less time than an export may take. */
  private static void serve(Api api, Receiver receiver, String path) {
    long begun = System.nanoTime();
    for (int i = 0; i < 200; i++) {
      Work.expect(200, api.get("/v1/jobs?limit=1"));
    }
    for (int i = 0; i < 20; i++) {
      Work.create(api.with("traceparent", PARENT), Work.http(receiver.url(path)));
    }
    Eventually.until(
        "all jobs run",
        () -> receiver.calls().stream().filter(call -> call.path().equals(path)).count() == 20);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
  }

  private static void logLinesSayTheirTrace(String lines) {
    JsonMapper json = new JsonMapper();
    List<JsonNode> traced =
        lines
            .lines()
            .filter(line -> line.startsWith("{") && line.contains(TRACE))
            .map(json::readTree)
            .toList();
    assertThat(traced)
        .anySatisfy(
            line -> { // of a request
              assertThat(line.path("log").path("logger").asString(""))
                  .endsWith("DispatcherServlet");
              assertThat(line.has("job")).isFalse();
            })
        .anySatisfy(line -> assertThat(line.path("job").asString("")).isNotEmpty())
        .allSatisfy(
            line -> {
              assertThat(line.path("trace").path("id").asString("")).isEqualTo(TRACE);
              assertThat(line.path("span").path("id").asString("")).hasSize(16);
              assertThat(line.path("replica").asString("")).isEqualTo("replica-1");
              assertThat(line.path("tenant").asString("")).isEqualTo("default");
            });
  }
}
