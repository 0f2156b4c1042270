package dev.monotick.chaos.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.chaos.campaign.ChaosOptions.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChaosOptionsTest {

  @Test
  void everythingHasADefault() throws UsageException {
    assertThat(ChaosOptions.parse(42).settings())
        .isEqualTo(
            new ChaosSettings(
                Duration.ofMinutes(5), 42, Backend.ADVISORY, 3, false, Replication.NONE));
  }

  @Test
  void everythingCanBeChosen() throws UsageException {
    ChaosOptions options =
        ChaosOptions.parse(
            42,
            "--minutes",
            "1.5",
            "--seed",
            "7",
            "--backend",
            "portable",
            "--replicas",
            "5",
            "--control",
            "--report",
            "r.md");
    assertThat(options.settings())
        .isEqualTo(
            new ChaosSettings(
                Duration.ofSeconds(90), 7, Backend.PORTABLE, 5, true, Replication.NONE));
    assertThat(options.report()).contains(Path.of("r.md"));
  }

  @Test
  void backendsThatAreNotThereYetAreRefusedAsSuch() {
    for (String name : new String[] {"redis", "kubernetes"}) {
      assertThatThrownBy(() -> ChaosOptions.parse(1, "--backend", name))
          .isInstanceOf(UsageException.class)
          .hasMessage(
              "--backend "
                  + name
                  + " cannot be tested: there is no such backend yet; there are advisory, row,"
                  + " portable");
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(() -> ChaosOptions.parse(1, "--backend", "zookeeper"))
        .hasMessageContaining("one of advisory, row, portable");
    assertThatThrownBy(() -> ChaosOptions.parse(1, "--minutes", "0"))
        .hasMessageContaining("--minutes must be a number from 0.5");
    assertThatThrownBy(() -> ChaosOptions.parse(1, "--replicas", "1"))
        .hasMessageContaining("from 2 to 9");
    assertThatThrownBy(() -> ChaosOptions.parse(1, "--seed")).hasMessage("--seed needs a value");
    assertThatThrownBy(() -> ChaosOptions.parse(1, "--what"))
        .hasMessageContaining("unknown option \"--what\"");
  }
}
