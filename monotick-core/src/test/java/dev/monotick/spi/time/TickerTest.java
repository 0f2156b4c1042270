package dev.monotick.spi.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TickerTest {

  @Test
  void systemTickerNeverGoesBack() {
    Ticker ticker = Ticker.system();
    long first = ticker.read();
    assertThat(ticker.read() - first).isNotNegative();
  }
}
