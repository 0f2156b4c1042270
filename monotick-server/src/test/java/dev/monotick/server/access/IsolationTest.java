package dev.monotick.server.access;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.Operations.Operation;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Tries every operation of a running server, as its document lists them, with keys that must not
 * work: whoever adds an endpoint is tested here without a line of his own, and fails if it has a
 * path variable for which {@link Resources} knows no example.
 */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class IsolationTest {

  /** Operations that send something but change nothing; a viewer may use them. */
  private static final Set<String> HARMLESS = Set.of("POST /v1/schedules/preview");

  /** Operations that ask for a proof of their own in place of a key. */
  private static final Set<String> OPEN = Set.of("POST /v1/callbacks/{id}");

  private final Installation installation = Installation.create();
  private final Resources resources = new Resources(installation, "acme");
  private List<Operation> operations = List.of();

  @BeforeAll
  void start() {
    Api admin =
        installation
            .with("monotick.events.longest", "1s")
            .with("monotick.secret.key", "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=")
            .start();
    operations =
        Operations.read(admin).stream().filter(each -> !OPEN.contains(each.toString())).toList();
    resources.create(operations.stream().map(Operation::path).collect(Collectors.toSet()));
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private Api as(Optional<String> tenant, Role role) {
    return installation.api().as(resources.key(tenant, role)).with("If-Match", "*");
  }

  @Test
  void nothingIsOpenToNobody() {
    SoftAssertions softly = new SoftAssertions();
    for (Operation each : operations) {
      Api.Answer answer =
          each.call(installation.api().as(null), each.path(resources::example), Map.of());
      softly.assertThat(answer.status()).as("%s without a key", each).isEqualTo(401);
      softly.assertThat(answer.text("type")).as("%s", each).contains("unauthenticated");
    }
    softly.assertAll();
  }

  @Test
  void rolesAreKeptTo() {
    SoftAssertions softly = new SoftAssertions();
    for (Operation each : operations) {
      String path = each.path(resources::missing);
      Role needed = Role.valueOf(each.role());
      for (Role role : Role.values()) {
        if (!role.covers(needed)) {
          softly
              .assertThat(each.call(as(Optional.of("acme"), role), path, Map.of()).status())
              .as("%s as %s", each, role)
              .isEqualTo(403);
        }
      }
      if (each.isWrite() && !HARMLESS.contains(each.toString())) {
        softly.assertThat(Role.VIEWER.covers(needed)).as("%s needs %s", each, needed).isFalse();
      }
      if (each.platform()) {
        softly
            .assertThat(each.call(as(Optional.of("acme"), Role.ADMIN), path, Map.of()).status())
            .as("%s as admin of a tenant", each)
            .isEqualTo(403);
      }
    }
    softly.assertAll();
  }

  /** What is another's is as if it were not there, whoever asks and whatever he wants with it. */
  @Test
  void whatIsOfAnotherTenantIsNotThere() {
    Map<String, Api.Answer> before = resources.all();
    SoftAssertions softly = new SoftAssertions();
    for (Operation each : operations) {
      for (Role role : List.of(Role.ADMIN, Role.AGENT)) {
        Api other = as(Optional.of("other"), role);
        Map<String, Object> bodies = resources.bodies();
        Api.Answer answer = each.call(other, each.path(resources::example), bodies);
        softly
            .assertThat(answer.raw().body())
            .as("%s as %s of another tenant shows nothing", each, role)
            .doesNotContain(Resources.MARK);
        if (!each.hasVariables()) {
          softly.assertThat(answer.raw().body()).as("%s", each).doesNotContain(Resources.NAME);
        }
        softly.assertThat(answer.status()).as("%s", each).isLessThan(500);
        if (each.hasVariables() && !resources.isShared(each.path())) {
          Api.Answer missing = each.call(other, each.path(resources::missing), bodies);
          boolean proofWanted = answer.text("type").endsWith(":lease-lost"); // by whom it was given
          softly
              .assertThat(answer.status())
              .as("%s as %s of another tenant: %s", each, role, answer.raw().body())
              .isIn(403, 404, proofWanted ? 409 : 404);
          softly
              .assertThat(answer.status())
              .as("%s as %s: of another tenant or missing", each, role)
              .isEqualTo(missing.status());
        }
      }
    }
    softly.assertAll();
    Map<String, Api.Answer> after = resources.all();
    assertThat(after.keySet()).isEqualTo(before.keySet());
    after.forEach(
        (path, now) -> {
          assertThat(now.header("ETag"))
              .as(path)
              .isEqualTo(requireNonNull(before.get(path)).header("ETag"));
          assertThat(now.text("state")).as(path).isNotEqualTo("CANCELLED");
        });
  }

  @Test
  void aKeyOfATenantCannotNameAnother() {
    Api api = as(Optional.of("other"), Role.ADMIN).with("Monotick-Tenant", "acme");
    SoftAssertions softly = new SoftAssertions();
    for (Operation each : operations) {
      softly
          .assertThat(each.call(api, each.path(resources::example), Map.of()).status())
          .as("%s", each)
          .isEqualTo(403);
    }
    softly.assertAll();
  }
}
