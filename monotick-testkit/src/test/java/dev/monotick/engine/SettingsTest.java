package dev.monotick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();

  private MonotickBuilder builder(Map<String, String> environment) {
    return Monotick.builder()
        .store(store)
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads())
        .environment(environment)
        .task(
            Task.named("clean-up.db").every(Duration.ofHours(1)).mode(HaMode.LEADER).run(c -> {}));
  }

  private Task taskWith(String name, String value) {
    return builder(Map.of(name, value)).build().tasks().get(0).task();
  }

  @Test
  void replicaName() {
    assertThat(builder(Map.of("MONOTICK_REPLICA_NAME", "blue")).build().replicaName())
        .isEqualTo("blue");
    assertThat(
            builder(Map.of("MONOTICK_REPLICA_NAME", "blue"))
                .replicaName("green")
                .build()
                .replicaName())
        .as("code wins")
        .isEqualTo("green");
  }

  @Test
  void leadership() {
    builder(Map.of()).build().start();
    Monotick alone = builder(Map.of("MONOTICK_LEADERSHIP", "single-replica")).build();
    assertThatThrownBy(alone::start).isInstanceOf(JoinRefusedException.class);
    builder(Map.of("MONOTICK_LEADERSHIP", "ELECTED")).build().start();
    builder(Map.of("MONOTICK_LEADERSHIP", "single-replica"))
        .leadership(LeadershipMode.ELECTED)
        .build()
        .start();
    assertThatThrownBy(() -> builder(Map.of("MONOTICK_LEADERSHIP", "none")).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_LEADERSHIP must be elected or single-replica")
        .hasMessageContaining("\"none\"");
  }

  @Test
  void leaseTimingDecidesHowLongATermIsTrusted() {
    Monotick engine =
        builder(
                Map.of(
                    "MONOTICK_LEASE_DURATION", "60s",
                    "MONOTICK_LEASE_RENEW_INTERVAL", "10s",
                    "MONOTICK_LEASE_RENEW_TIMEOUT", "PT5S",
                    "MONOTICK_LEASE_MARGIN", "6000ms"))
            .build();
    engine.start();
    scheduler.advance(Duration.ofMillis(1));
    Duration first = engine.leadership("default").orElseThrow().validFor();
    assertThat(first).isBetween(Duration.ofSeconds(53), Duration.ofSeconds(54));
    scheduler.advance(Duration.ofSeconds(9));
    assertThat(engine.leadership("default").orElseThrow().validFor()).isLessThan(first);
    scheduler.advance(Duration.ofSeconds(2));
    assertThat(engine.leadership("default").orElseThrow().validFor())
        .as("renewed after ten seconds")
        .isGreaterThan(Duration.ofSeconds(52));
  }

  @Test
  void marginBelowATenthOfTheLeaseIsRefused() {
    assertThatThrownBy(() -> builder(Map.of("MONOTICK_LEASE_MARGIN", "299ms")).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("margin must be at least a tenth of leaseDuration PT3S")
        .hasMessageContaining("but was PT0.299S; raise margin");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MONOTICK_LEASE_DURATION=1s",
        "MONOTICK_LEASE_RENEW_INTERVAL=3s",
        "MONOTICK_LEASE_RENEW_TIMEOUT=2s",
        "MONOTICK_LEASE_MARGIN=2900ms"
      })
  void leaseTimingThatDoesNotFitIsRefused(String setting) {
    String[] parts = setting.split("=", -1);
    assertThatThrownBy(() -> builder(Map.of(parts[0], parts[1])).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("renewInterval + 2 x renewTimeout must fit into");
  }

  @Test
  void intervalAndTimeoutOfATask() {
    assertThat(taskWith("MONOTICK_TASK_CLEAN_UP_DB_INTERVAL", "90s").schedule())
        .isEqualTo(Schedule.every(Duration.ofSeconds(90)));
    assertThat(taskWith("MONOTICK_TASK_CLEAN_UP_DB_TIMEOUT", "1d").timeout())
        .isEqualTo(Duration.ofDays(1));
  }

  @Test
  void valuesThatATaskCannotHaveAreRefusedByTheNameOfTheVariable() {
    assertThatThrownBy(() -> taskWith("MONOTICK_TASK_CLEAN_UP_DB_INTERVAL", "0s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_TASK_CLEAN_UP_DB_INTERVAL")
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> taskWith("MONOTICK_TASK_CLEAN_UP_DB_TIMEOUT", "2d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_TASK_CLEAN_UP_DB_TIMEOUT")
        .hasMessageContaining("PT48H");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5 minutes", "-5s", "1.5h", "PT", "9999999999s"})
  void malformedDurationsAreRefused(String value) {
    for (String name :
        new String[] {
          "MONOTICK_TASK_CLEAN_UP_DB_INTERVAL",
          "MONOTICK_LEASE_DURATION",
          "MONOTICK_LEASE_RENEW_INTERVAL",
          "MONOTICK_LEASE_RENEW_TIMEOUT",
          "MONOTICK_LEASE_MARGIN"
        }) {
      assertThatThrownBy(() -> builder(Map.of(name, value)).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              name
                  + " must be a duration, but was \""
                  + value
                  + "\"; write it like 500ms, 90s, 5m, 2h, 1d or PT1M30S");
    }
  }

  @Test
  void unknownKeysAreRefusedWithASuggestionAndOthersPassedOver() {
    assertThatThrownBy(() -> builder(Map.of("MONOTICK_LEASE_DURTION", "5s")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_LEASE_DURTION")
        .hasMessageContaining("did you mean MONOTICK_LEASE_DURATION?");
    assertThatThrownBy(() -> builder(Map.of("MONOTICK_X", "5s")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_TASK_<NAME>_INTERVAL");
    builder(Map.of("PATH", "/bin", "monotick_x", "1")).build();
  }

  @Test
  void settingOfATaskThatDoesNotExistIsRefusedAtStart() {
    Monotick engine = builder(Map.of("MONOTICK_TASK_CLEANUP_DB_TIMEOUT", "5s")).build();
    assertThatThrownBy(engine::start)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MONOTICK_TASK_CLEANUP_DB_TIMEOUT has no effect")
        .hasMessageContaining("did you mean CLEAN_UP_DB?");
  }

  @Test
  void variablesThatKubernetesInjectsForServicesAreIgnored() {
    Monotick engine =
        builder(
                Map.ofEntries(
                    Map.entry("MONOTICK_SERVICE_HOST", "10.0.0.7"),
                    Map.entry("MONOTICK_SERVICE_PORT", "8080"),
                    Map.entry("MONOTICK_SERVICE_PORT_HTTP", "8080"),
                    Map.entry("MONOTICK_PORT", "tcp://10.0.0.7:8080"),
                    Map.entry("MONOTICK_PORT_8080_TCP", "tcp://10.0.0.7:8080"),
                    Map.entry("MONOTICK_PORT_8080_TCP_PROTO", "tcp"),
                    Map.entry("MONOTICK_PORT_8080_TCP_PORT", "8080"),
                    Map.entry("MONOTICK_PORT_8080_TCP_ADDR", "10.0.0.7"),
                    Map.entry("MONOTICK_SERVER_SERVICE_HOST", "10.0.0.8"),
                    Map.entry("MONOTICK_SERVER_SERVICE_PORT", "8080"),
                    Map.entry("MONOTICK_SERVER_PORT", "tcp://10.0.0.8:8080"),
                    Map.entry("MONOTICK_SERVER_PORT_8080_UDP_ADDR", "10.0.0.8"),
                    Map.entry("MONOTICK_REPLICA_NAME", "blue")))
            .build();
    assertThat(engine.replicaName()).isEqualTo("blue");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MONOTICK_PORT=8080",
        "MONOTICK_SERVER_PORT=8080",
        "MONOTICK_SERVICE=x",
        "MONOTICK_SERVICE_HOSTS=x",
        "MONOTICK_LEASE=tcp://10.0.0.7:80"
      })
  void variablesThatOnlyResembleThoseOfAServiceAreRefused(String setting) {
    String[] parts = setting.split("=", -1);
    assertThatThrownBy(() -> builder(Map.of(parts[0], parts[1])).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(parts[0] + " is not a setting of Monotick");
  }
}
