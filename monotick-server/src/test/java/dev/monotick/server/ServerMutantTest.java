package dev.monotick.server;

import dev.monotick.checks.mutation.Edit;
import dev.monotick.checks.mutation.TestMutant;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whether tests of the server notice defects that were found and fixed (docs/proof/README.md). Each
 * mutant has one of them again.
 */
@Tag("thorough")
class ServerMutantTest {

  private static List<TestMutant> mutants() {
    return TestMutant.wanted(
        List.of(
            mutant(
                    7,
                    "latest takes the oldest tick of a gap",
                    "schedule.fire.DueTicksTest#ofALongGapTheLatestRunsAndTheOthersAreOneRow",
                    "[2026-03-01T12:00:00Z]")
                .edit(
                    java(
                        "schedule.fire.DueTicks",
                        "Optional<Instant> older = Optional.of(latest);",
                        "Optional<Instant> older = Optional.of(first);")),
            mutant(
                    7,
                    "all ticks on time run, also where the newest would be skipped",
                    "schedule.fire.DueTicksTest#theLatestIsTheLatestAlsoAmongTicksThatAreOnTime",
                    "to contain exactly (and in same order): [2026-03-01T12:00:30Z]")
                .edit(
                    java(
                        "schedule.fire.DueTicks",
                        "return (onTime && plan.onOverlap() == Overlap.ALLOW)",
                        "return onTime")),
            mutant(
                    7,
                    "ticks run newest first",
                    "schedule.fire.DueTicksTest#allMeansTheNewestUpToTheNumber",
                    "2026-03-01T12:05:00Z, 2026-03-01T12:04:00Z")
                .edit(
                    java(
                        "schedule.fire.DueTicks",
                        "runs.add(0, older.get());",
                        "runs.add(older.get());")),
            mutant(
                    10,
                    "variables of Kubernetes Services reach the settings",
                    "setting.ServerSettingsTest#serviceLinksDoNotReachTheSettings",
                    "MONOTICK_SERVER_PORT (port of the REST API")
                .edit(
                    java(
                        "setting.EnvironmentCheck",
                        "if (!isServiceLink(name, String.valueOf(value))) {",
                        "if (value != null) {"))));
  }

  private static TestMutant mutant(int item, String name, String test, String caughtBy) {
    return TestMutant.of(item, name, "dev.monotick.server." + test, caughtBy);
  }

  private static Edit java(String type, String original, String replacement) {
    return Edit.ofClass("monotick-server", "dev.monotick.server." + type, original, replacement);
  }

  @TestFactory
  @Timeout(120)
  Stream<DynamicTest> isCaughtByItsTest(@TempDir Path folder) {
    return mutants().stream()
        .map(
            mutant ->
                DynamicTest.dynamicTest(
                    mutant.toString(),
                    () -> mutant.requireCaught(folder.resolve(mutant.name()), type -> false)));
  }
}
