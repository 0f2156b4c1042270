package dev.monotick.chaos.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The chaos run, short: what it finds here, the long one finds more of. */
@Tag("thorough")
@ResourceLock("namespaces") // they are named after this process
class ChaosRunTest {

  private static final long SEED = 20_261_116;

  @Test
  @Timeout(300)
  void noPromiseIsBrokenWhileEverythingElseIs() throws Exception {
    ChaosResult result = run("run", Duration.ofMinutes(1), false);
    assertThat(result.complaints()).as(result.line()).isEmpty();
    assertThat(result.facts().struck()).isGreaterThan(8);
  }

  @Test
  @Timeout(200)
  void withoutLedgerAndFenceEffectsTakePlaceTwice() throws Exception {
    ChaosResult result = run("control", Duration.ofSeconds(12), true);
    assertThat(result.findings().duplicates()).as(result.line()).isPositive();
    assertThat(result.complaints()).isEmpty();
  }

  private static ChaosResult run(String name, Duration lasting, boolean control) throws Exception {
    ChaosSettings settings =
        new ChaosSettings(lasting, SEED, Backend.ADVISORY, 3, control, Replication.NONE);
    return new ChaosRun(settings, folder(name), line -> {}).run();
  }

  private static Path folder(String name) throws IOException {
    Path folder = Path.of("target", "campaign", name).toAbsolutePath();
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    return Files.createDirectories(folder);
  }
}
