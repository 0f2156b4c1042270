package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A trace goes on from the request that wants a job to the call that the job makes. */
@Tag("thorough")
class TraceTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  @Test
  void aJobIsPartOfTheTraceOfItsRequest() {
    try (Receiver receiver = new Receiver();
        Installation installation = Installation.started()) {
      Api api = installation.api().with("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01");
      api.post(
          "/v1/jobs",
          Api.json("kind", "http", "payload", Api.json("url", receiver.url("/traced"))));
      installation
          .api()
          .with("traceparent", "nonsense")
          .post(
              "/v1/jobs",
              Api.json("kind", "http", "payload", Api.json("url", receiver.url("/also"))));
      Eventually.until("both were called", () -> receiver.calls().size() == 2);
      assertThat(receiver.calls())
          .filteredOn(call -> call.path().equals("/traced"))
          .singleElement()
          .satisfies(call -> assertThat(call.headers().get("traceparent")).contains(TRACE));
    }
  }
}
