package dev.monotick.chaos.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.chaos.failover.FailoverOptions.UsageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FailoverOptionsTest {

  @Test
  void withoutOptionsAllFaultsAreMeasuredFiftyTimes() throws UsageException {
    FailoverOptions options = FailoverOptions.parse();
    assertThat(options.trials()).isEqualTo(50);
    assertThat(options.faults()).containsExactly(LeaderFault.values());
    assertThat(options.leadership()).isEqualTo("advisory");
    assertThat(options.markdown()).isEmpty();
    assertThat(options.help()).isFalse();
  }

  @Test
  void optionsAreTaken() throws UsageException {
    FailoverOptions options =
        FailoverOptions.parse(
            "--trials",
            "3",
            "--fault",
            "pause",
            "--fault",
            "crash",
            "--fault",
            "pause",
            "--leadership",
            "row",
            "--parallel",
            "2",
            "--markdown",
            "table.md");
    assertThat(options.trials()).isEqualTo(3);
    assertThat(options.faults()).containsExactly(LeaderFault.PAUSE, LeaderFault.CRASH);
    assertThat(options.leadership()).isEqualTo("row");
    assertThat(options.parallel()).isEqualTo(2);
    assertThat(options.markdown()).contains(Path.of("table.md"));
  }

  @Test
  void whatIsWrongIsNamedWithWhatWouldBeRight() {
    assertRefused("--trials must be a number from 1 to 10000, but was \"0\"", "--trials", "0");
    assertRefused("--trials must be a number", "--trials", "many");
    assertRefused("--trials needs a value", "--trials");
    assertRefused(
        "--fault must be one of crash, graceful, pause, partition, but was \"flood\"",
        "--fault",
        "flood");
    assertRefused("--leadership must be advisory or row", "--leadership", "me");
    assertRefused("unknown option \"--tirals\"", "--tirals", "5");
  }

  private static void assertRefused(String message, String... arguments) {
    assertThatThrownBy(() -> FailoverOptions.parse(arguments))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message);
  }
}
