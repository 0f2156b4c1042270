package dev.monotick.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.Operations.Operation;
import dev.monotick.server.support.Installation;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The document that says what can be asked for. */
@Tag("thorough")
class OpenApiTest {

  @Test
  void everyOperationSaysWhatItIsAndWhatMayBeRefused() {
    try (Installation installation = Installation.started()) {
      JsonNode document = installation.api().get("/v1/openapi").body();
      List<Operation> operations = Operations.read(installation.api());

      assertThat(document.path("openapi").asString()).startsWith("3.1");
      assertThat(document.at("/info/title").asString()).isEqualTo("Monotick");
      assertThat(document.at("/info/license/name").asString()).isEqualTo("Apache-2.0");
      assertThat(document.at("/components/securitySchemes/bearer/scheme").asString())
          .isEqualTo("bearer");
      assertThat(operations).isNotEmpty();
      SoftAssertions softly = new SoftAssertions();
      for (Operation each : operations) {
        JsonNode responses = each.node().path("responses");
        softly
            .assertThat(each.node().path("summary").asString(""))
            .as("%s: summary", each)
            .isNotEmpty();
        softly.assertThat(each.node().path("tags")).as("%s: tags", each).isNotEmpty();
        softly
            .assertThat(each.node().at("/tags/0").asString(""))
            .as("%s: a tag of ours, not the class's name", each)
            .doesNotContain("controller");
        if (!each.path().startsWith("/v1/callbacks/")) {
          softly.assertThat(each.role()).as("%s: role", each).isNotEmpty();
        }
        softly.assertThat(each.path()).as("%s: under /v1", each).startsWith("/v1/");
        for (String status : List.of("400", "401", "403", "429")) {
          softly
              .assertThat(
                  responses.at("/" + status + "/content/application~1problem+json").isMissingNode())
              .as("%s: problem %s", each, status)
              .isFalse();
        }
        each.node()
            .path("parameters")
            .forEach(
                parameter ->
                    softly
                        .assertThat(parameter.path("name").asString(""))
                        .as("%s: the caller is no parameter", each)
                        .isNotEqualTo("caller"));
      }
      softly.assertAll();
    }
  }
}
