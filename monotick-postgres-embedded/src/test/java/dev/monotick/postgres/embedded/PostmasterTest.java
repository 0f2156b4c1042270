package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PostmasterTest {

  @Test
  void readsWhatIsThereOfItsDescription() {
    List<String> whole =
        List.of("123", "/data", "1700000000", "5432", "", "127.0.0.1", "  1 2", "ready   ");
    assertThat(Postmaster.parse(whole)).contains(new Postmaster(123, "/data", 5432, "ready"));
    assertThat(Postmaster.parse(whole).orElseThrow().isReady()).isTrue();
    assertThat(Postmaster.parse(List.of("123", "/data")))
        .contains(new Postmaster(123, "/data", 0, ""));
    assertThat(Postmaster.parse(List.of())).isEmpty();
    assertThat(Postmaster.parse(List.of("12x"))).isEmpty();
  }

  @Test
  void aProcessThatIsNoServerIsNotTakenForOne() {
    long self = ProcessHandle.current().pid();
    assertThat(new Postmaster(self, "/data", 1, "ready").isAlive()).isFalse();
    assertThat(new Postmaster(Integer.MAX_VALUE, "/data", 1, "ready").isAlive()).isFalse();
  }
}
