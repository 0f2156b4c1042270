package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchmarkOptionsTest {

  private static final Map<String, String> DEFAULTS = Map.of("peers", "all", "rounds", "3");

  private static BenchmarkOptions parse(String... given) {
    return BenchmarkOptions.parse(List.of(given), DEFAULTS);
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
  void severalNumbersAreSortedAndEachIsChecked() {
    assertThat(parse("--rounds", "7,5").parseNumbers("rounds", 1, 10)).containsExactly(5, 7);
    assertThatThrownBy(() -> parse("--rounds", "5,11").parseNumbers("rounds", 1, 10))
        .hasMessage("--rounds must be a whole number from 1 to 10, but was 11");
    assertThatThrownBy(() -> parse("--rounds", "5,").parseNumbers("rounds", 1, 10))
        .hasMessageEndingWith("but was ");
  }

  @Test
  void aRunCountsIfItHasThreeRoundsAndNothingIsLessThanByDefault() {
    Map<String, String> defaults =
        Map.of("peers", "all", "rounds", "5", "jobs", "200", "processes", "1,2", "states", "a,b");
    assertThat(BenchmarkOptions.parse(List.of(), defaults).isFull()).isTrue();
    assertThat(
            BenchmarkOptions.parse(
                    List.of("--rounds", "3", "--jobs", "300", "--peers", "none", "--states", "b"),
                    defaults)
                .isFull())
        .isTrue();
    assertThat(BenchmarkOptions.parse(List.of("--rounds", "2"), defaults).isFull()).isFalse();
    assertThat(BenchmarkOptions.parse(List.of("--jobs", "199"), defaults).isFull()).isFalse();
    assertThat(BenchmarkOptions.parse(List.of("--processes", "1"), defaults).isFull()).isFalse();
  }

  @Test
  void wordsAreThoseOfTheDefaultInItsOrder() {
    Map<String, String> defaults = Map.of("states", "queued,finished,limited");
    assertThat(
            BenchmarkOptions.parse(List.of("--states", "limited,queued"), defaults)
                .parseWords("states"))
        .containsExactly("queued", "limited");
    assertThatThrownBy(
            () ->
                BenchmarkOptions.parse(List.of("--states", "queued,full"), defaults)
                    .parseWords("states"))
        .hasMessage("--states must be some of queued,finished,limited, but was queued,full");
  }

  @Test
  void whereThereAreNoPeersOnlyNoneMayBeAskedFor() {
    parse("--peers", "none").requireAlone("depth");
    assertThatThrownBy(() -> parse("--peers", "quartz").requireAlone("depth"))
        .hasMessageStartingWith(
            "--peers must be none, but was quartz: depth compares Monotick with")
        .hasMessageEndingWith("measure peers with scripts/bench drain");
  }

  @Test
  void eachRoundBeginsWithAnother() {
    assertThat(Contenders.turned(List.of(1, 2, 3), 0)).containsExactly(1, 2, 3);
    assertThat(Contenders.turned(List.of(1, 2, 3), 1)).containsExactly(2, 3, 1);
    assertThat(Contenders.turned(List.of(1, 2, 3), 5)).containsExactly(3, 1, 2);
  }
}
