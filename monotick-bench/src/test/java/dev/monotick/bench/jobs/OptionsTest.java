package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {

  private static final Map<String, String> DEFAULTS = Map.of("peers", "all", "rounds", "3");

  private static Options parse(String... given) {
    return Options.parse(List.of(given), DEFAULTS);
  }

  @Test
  void whatIsNotGivenIsAsByDefault() {
    assertThat(parse().parseNumber("rounds", 1, 10)).isEqualTo(3);
    assertThat(parse("--rounds", "5").parseNumber("rounds", 1, 10)).isEqualTo(5);
    assertThat(parse().contenders()).isEqualTo(Contenders.LIST);
  }

  @Test
  void noPeersLeavesTheFirst() {
    assertThat(parse("--peers", "none").contenders()).containsExactly(Contenders.LIST.get(0));
  }

  @Test
  void peersByNameComeAfterTheFirst() {
    assertThat(parse("--peers", "raw-sql,quartz").contenders())
        .extracting(Contender::name)
        .containsExactly(Contenders.LIST.get(0).name(), "quartz", "raw-sql");
  }

  @Test
  void whatIsUnknownIsRefusedWithWhatThereIs() {
    assertThatThrownBy(() -> parse("--round", "3"))
        .hasMessage("--round is no option; there are --peers, --rounds");
    assertThatThrownBy(() -> parse("3")).hasMessageStartingWith("3 is no option");
    assertThatThrownBy(() -> parse("--rounds")).hasMessage("--rounds needs a value");
    assertThatThrownBy(() -> parse("--peers", "oban").contenders())
        .hasMessageContaining("graphile-worker")
        .hasMessageEndingWith("but was oban");
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThatThrownBy(() -> parse("--rounds", "0").parseNumber("rounds", 1, 10))
        .hasMessage("--rounds must be a whole number from 1 to 10, but was 0");
    assertThatThrownBy(() -> parse("--rounds", "many").parseNumber("rounds", 1, 10))
        .hasMessageEndingWith("but was many");
  }

  @Test
  void eachRoundBeginsWithAnother() {
    assertThat(Contenders.turned(List.of(1, 2, 3), 0)).containsExactly(1, 2, 3);
    assertThat(Contenders.turned(List.of(1, 2, 3), 1)).containsExactly(2, 3, 1);
    assertThat(Contenders.turned(List.of(1, 2, 3), 5)).containsExactly(3, 1, 2);
  }
}
