package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import dev.monotick.server.trace.Tracing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A trace goes on from the request that wants a job to the call that the job makes, also where
 * nobody collects traces: then the call carries what the request did.
 */
@Tag("thorough")
class TraceTest {

  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String OTHER = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00";

  @Test
  void aJobIsPartOfTheTraceOfItsRequest() {
    try (Receiver receiver = new Receiver();
        Installation installation = Installation.started()) {
      Api traced =
          installation.api().with("traceparent", PARENT).with("tracestate", "vendor=value");
      Work.create(traced, Work.http(receiver.url("/one")));
      Work.expect(
          201,
          traced.post(
              "/v1/jobs/batch",
              Api.json(
                  "jobs",
                  List.of(
                      Work.http(receiver.url("/batch")),
                      Work.http(receiver.url("/other"), "headers", Api.json("traceparent", OTHER))),
                  "whenAllEnded",
                  Work.http(receiver.url("/last")))));
      for (String wrong :
          List.of("nonsense", PARENT.replace("4bf9", "4BF9"), "ff" + PARENT.substring(2))) {
        Work.create(
            installation.api().with("traceparent", wrong).with("tracestate", "vendor=value"),
            Work.http(receiver.url("/untraced")));
      }
      Work.create(
          installation.api(),
          Work.http(receiver.url("/untraced"), "headers", Api.json("traceparent", "00-1-1-01")));
      Eventually.until("all were called", () -> receiver.calls().size() == 8);

      for (String path : List.of("/one", "/batch", "/last")) {
        assertThat(headers(receiver, path))
            .containsEntry("traceparent", PARENT)
            .containsEntry("tracestate", "vendor=value");
      }
      assertThat(headers(receiver, "/other")).containsEntry("traceparent", OTHER);
      assertThat(receiver.calls())
          .filteredOn(call -> call.path().equals("/untraced"))
          .hasSize(4)
          .allSatisfy(
              call -> assertThat(call.headers()).doesNotContainKeys("traceparent", "tracestate"));
      assertThat(installation.bean(0, Tracing.class)).isSameAs(Tracing.OFF);
    }
  }

  private static Map<String, String> headers(Receiver receiver, String path) {
    return receiver.calls().stream()
        .filter(call -> call.path().equals(path))
        .findFirst()
        .orElseThrow()
        .headers();
  }
}
