package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FigureFormatTest {

  @Test
  void medianIsTheMiddleOneOrBetweenTheTwoInTheMiddle() {
    assertThat(FigureFormat.of(5, 1, 3).median()).isEqualTo(3);
    assertThat(FigureFormat.of(1, 2, 3, 10).median()).isEqualTo(2.5);
    assertThat(FigureFormat.of().median()).isNaN();
  }

  @Test
  void percentileIsAValueThatWasMeasured() {
    double[] hundred = new double[100];
    for (int i = 0; i < 100; i++) {
      hundred[i] = 100 - i;
    }
    FigureFormat figures = FigureFormat.of(hundred);
    assertThat(figures.percentile(0.5)).isEqualTo(50);
    assertThat(figures.percentile(0.99)).isEqualTo(99);
    assertThat(figures.percentile(1)).isEqualTo(100);
    assertThat(figures.least()).isEqualTo(1);
  }

  @Test
  void spreadTellsMedianLeastAndMost() {
    assertThat(FigureFormat.of(5263, 5102, 5102.4).spread()).isEqualTo("5,102 (5,102–5,263)");
    assertThat(FigureFormat.of(0.95).spread()).isEqualTo("0.95");
    assertThat(FigureFormat.of().spread()).isEqualTo("–");
  }

  @Test
  void ratioHasNoSeparatorsForScripts() {
    assertThat(FigureFormat.ratio(123_456, 1)).isEqualTo("123456.0");
    assertThat(FigureFormat.ratio(3, 2)).isEqualTo("1.50");
    assertThat(FigureFormat.ratio(3, 0)).isEqualTo("unknown");
    assertThat(FigureFormat.ratio(Double.NaN, 2)).isEqualTo("unknown");
  }
}
