package dev.monotick.testkit;

import dev.monotick.checks.mutation.TestMutant;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether tests of the engine notice defects that were found and fixed (docs/proof/README.md). Each
 * mutant has one of them again.
 */
@Tag("thorough")
class EngineMutantTest {

  static List<TestMutant> mutants() {
    return TestMutant.wanted(EngineMutants.all());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  @Timeout(60)
  void isCaughtByItsTest(TestMutant mutant, @TempDir Path folder) throws Exception {
    // A service file names the log, so the loader of the JVM finds it.
    mutant.requireCaught(folder, type -> type.contains("CapturedLog"));
  }
}
