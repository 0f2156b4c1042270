package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void medianIsTheMiddleOneOrBetweenTheTwoInTheMiddle() {
    assertThat(Figures.of(5, 1, 3).median()).isEqualTo(3);
    assertThat(Figures.of(1, 2, 3, 10).median()).isEqualTo(2.5);
    assertThat(Figures.of().median()).isNaN();
  }

  @Test
  void percentileIsAValueThatWasMeasured() {
    double[] hundred = new double[100];
    for (int i = 0; i < 100; i++) {
      hundred[i] = 100 - i;
    }
    Figures figures = Figures.of(hundred);
    assertThat(figures.percentile(0.5)).isEqualTo(50);
    assertThat(figures.percentile(0.99)).isEqualTo(99);
    assertThat(figures.percentile(1)).isEqualTo(100);
    assertThat(figures.least()).isEqualTo(1);
  }

  @Test
  void spreadTellsMedianLeastAndMost() {
    assertThat(Figures.of(5263, 5102, 5102.4).spread()).isEqualTo("5,102 (5,102–5,263)");
    assertThat(Figures.of(0.95).spread()).isEqualTo("0.95");
    assertThat(Figures.of().spread()).isEqualTo("–");
  }

  @Test
  void ratioHasNoSeparatorsForScripts() {
    assertThat(Figures.ratio(123_456, 1)).isEqualTo("123456.0");
    assertThat(Figures.ratio(3, 2)).isEqualTo("1.50");
    assertThat(Figures.ratio(3, 0)).isEqualTo("unknown");
    assertThat(Figures.ratio(Double.NaN, 2)).isEqualTo("unknown");
  }
}
