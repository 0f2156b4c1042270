package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReplicaNameTest {

  @Test
  void theNameThatWasSetIsUsedAsItIs() {
    String property = SettingCatalog.REPLICA_NAME.name();
    ServerSettings settings = ServerSettings.read(name -> name.equals(property) ? "app-0" : "");
    assertThat(ReplicaName.of(settings)).isEqualTo("app-0");
  }

  @Test
  void theDefaultEndsInASuffixThatStaysTheSameInOneProcess() {
    ServerSettings settings = ServerSettings.read(name -> "");
    String name = ReplicaName.of(settings);
    assertThat(name).matches(".+-" + ProcessHandle.current().pid() + "-[0-9a-f]{4}");
    assertThat(ReplicaName.of(settings)).isEqualTo(name);
  }

  /** In containers host name and process id may be the same everywhere. */
  @Test
  void suffixesAreRandom() {
    assertThat(Stream.generate(ReplicaName::randomSuffix).limit(20).distinct().count())
        .isGreaterThan(1);
  }
}
