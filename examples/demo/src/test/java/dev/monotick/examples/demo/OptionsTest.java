package dev.monotick.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionsTest {

  @Test
  void optionsAreRead() {
    Options options = Options.parse("--plain", "--seconds", "30", "--log", "x.log");

    assertThat(options).isEqualTo(new Options(false, true, Duration.ofSeconds(30), "x.log"));
    assertThat(Options.parse("--help").help()).isTrue();
  }

  @Test
  void whatIsUnknownOrWrongIsRefusedWithARemedy() {
    assertThatThrownBy(() -> Options.parse("--fast")).hasMessageContaining("see --help");
    assertThatThrownBy(() -> Options.parse("--log")).hasMessageContaining("needs a value");
    assertThatThrownBy(() -> Options.parse("--seconds", "0")).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Options.parse("--seconds", "x")).hasMessageContaining("\"x\"");
  }
}
