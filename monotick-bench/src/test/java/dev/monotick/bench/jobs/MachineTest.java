package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineTest {

  @Test
  void processorsMemoryAndSystemAreNamed() {
    String cpus =
        """
        processor : 0
        model : 1
        model name : Fast Chip 9000
        stepping : 1

        processor : 1
        model name : Fast Chip 9000
        """
            .replace(" :", "\t:");
    assertThat(
            Machine.about(2, cpus, "MemTotal:        8131524 kB\nMemFree: 1 kB\n", "Linux amd64"))
        .isEqualTo("2 processors, Fast Chip 9000; 7.8 GB of memory; Linux amd64");
  }

  @Test
  void whatTheSystemDoesNotTellIsLeftOut() {
    assertThat(Machine.about(1, "", "", "Mac OS X aarch64"))
        .isEqualTo("1 processor; Mac OS X aarch64");
  }
}
