package dev.monotick.postgres;

import dev.monotick.checks.mutation.TestMutant;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether tests on PostgreSQL notice defects that were found and fixed (docs/proof/README.md). Each
 * mutant has one of them again, in one place of the SQL or of a class. All of them: {@code
 * scripts/mutants}.
 */
@Tag("thorough")
class PostgresMutantTest {

  /** Servers are started once for all mutants. */
  private static final Set<String> SERVERS =
      Set.of(
          "dev.monotick.postgres.TestDatabase",
          "dev.monotick.postgres.TestServer",
          "dev.monotick.postgres.PackagedServer");

  static List<TestMutant> mutants() {
    return TestMutant.wanted(PostgresMutants.all());
  }

  private static boolean isShared(String type) {
    return SERVERS.contains(type.replaceFirst("\\$.*", ""))
        || type.startsWith("dev.monotick.postgres.embedded.");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  @Timeout(180)
  void isCaughtByItsTest(TestMutant mutant, @TempDir Path folder) throws Exception {
    mutant.requireCaught(folder, PostgresMutantTest::isShared);
  }
}
