package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.testkit.SimulationBatch.Broken;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whole clusters against a seeded adversary. One seed again: {@code scripts/simulate --seed N}. */
class SimulationTest {

  private static final long FEW = 2_000;

  @Test
  @Tag("thorough")
  @Timeout(600)
  void hundredThousandSeedsBreakNothing() {
    long start = System.nanoTime();
    SimulationBatch batch = SimulationBatch.run(1, 100_000);
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    requireWhole(batch);
    System.out.println("simulation: " + batch + " seconds=" + seconds);
    assertThat(batch.unseen()).as("what never happened, so that it proves nothing").isEmpty();
  }

  @Test
  @Timeout(300)
  void someSeedsBreakNothingOnAnyJava() {
    requireWhole(SimulationBatch.run(1_000_001, FEW));
  }

  private static void requireWhole(SimulationBatch batch) {
    Broken broken = batch.broken();
    if (broken != null) {
      throw new AssertionError(
          "seed "
              + broken.seed()
              + " broke "
              + broken.finding()
              + "; again: scripts/simulate --seed "
              + broken.seed());
    }
  }

  @Test
  @Timeout(120)
  void sameSeedGivesTheSameRun() {
    for (long seed = 1; seed <= 200; seed++) {
      assertThat(Simulation.run(seed).hash()).as("seed %d", seed).isEqualTo(hash(seed));
    }
  }

  /** A trace must not change the run that it shows. */
  private static long hash(long seed) {
    return seed % 10 == 0 ? Simulation.runTraced(seed).hash() : Simulation.run(seed).hash();
  }

  /** Sets and maps of the JDK have another order in each JVM; a run must not depend on it. */
  @Test
  @Timeout(120)
  void sameSeedsGiveTheSameRunsInAnotherJvm() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process other =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.monotick.testkit.Simulate",
                "--seeds",
                "300")
            .redirectErrorStream(true)
            .start();
    List<String> lines;
    try (InputStream output = other.getInputStream()) {
      lines = new String(output.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    assertThat(other.waitFor()).as("%s", lines).isZero();
    assertThat(lines.get(lines.size() - 1))
        .isEqualTo(String.format("PASSED hash=%016x", SimulationBatch.run(1, 300).hash()));
  }
}
