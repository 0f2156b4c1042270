package dev.monotick.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DemoOptionsTest {

  @Test
  void optionsAreRead() {
    DemoOptions options = DemoOptions.parse("--plain", "--seconds", "30", "--log", "x.log");

    assertThat(options).isEqualTo(new DemoOptions(false, true, Duration.ofSeconds(30), "x.log"));
    assertThat(DemoOptions.parse("--help").help()).isTrue();
  }

  @Test
  void whatIsUnknownOrWrongIsRefusedWithARemedy() {
    assertThatThrownBy(() -> DemoOptions.parse("--fast")).hasMessageContaining("see --help");
    assertThatThrownBy(() -> DemoOptions.parse("--log")).hasMessageContaining("needs a value");
    assertThatThrownBy(() -> DemoOptions.parse("--seconds", "0"))
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> DemoOptions.parse("--seconds", "x")).hasMessageContaining("\"x\"");
  }
}
