package dev.monotick.testkit;

import dev.monotick.checks.mutation.Edit;
import dev.monotick.checks.mutation.TestMutant;
import java.util.List;

/**
 * Defects of the engine that were found and fixed, brought back one by one; see {@link
 * EngineMutantTest}.
 */
final class EngineMutants {

  private EngineMutants() {}

  private static TestMutant mutant(int item, String name, String test, String caughtBy) {
    return TestMutant.of(item, name, "dev.monotick." + test, caughtBy);
  }

  private static Edit java(String type, String original, String replacement) {
    return Edit.ofClass("dev.monotick." + type, original, replacement);
  }

  static List<TestMutant> all() {
    return List.of(
        mutant(
                1,
                "a membership that was lost keeps its id",
                "engine.member.MembershipTest#processThatLostItsMembershipJoinsUnderAnotherId",
                "not to contain")
            .edit(java("engine.member.Membership", "    context.identity().renew();\n", "")),
        mutant(
                1,
                "the store lets a membership that is over claim jobs",
                "testkit.contract.InMemoryJobRescueTest#replicaThatIsGoneClaimsNothing",
                "Expecting empty but was")
            .edit(
                java(
                    "memory.InMemoryJobStore",
                    "boolean mayClaim = registry.isAlive(request.member());",
                    "boolean mayClaim = request.most() > 0;")),
        mutant(
                2,
                "a completion that is refused becomes a dead letter",
                "engine.job.RefusedCompletionTest#othersAreRecordedAndTheRefusedOneIsKeptAsItWas",
                "to match given predicate")
            .edit(
                java(
                    "engine.job.JobCompleter",
                    "batch.stream().map(EndedRun::finish).toList());",
                    """
                    batch.stream().map(end -> sender.refused() == 0
                        ? end.finish()
                        : new dev.monotick.spi.job.Completion(
                            end.finish().job(),
                            new dev.monotick.spi.job.Completion.Died("refused"),
                            end.finish().startedAt(),
                            end.finish().took())).toList());""")),
        mutant(
                2,
                "a completion that is refused is dropped",
                "engine.job.RefusedCompletionTest#othersAreRecordedAndTheRefusedOneIsKeptAsItWas",
                "to match given predicate")
            .edit(java("engine.send.SendUntilAnswered", "due.addAll(next.requests);", "")),
        mutant(
                4,
                "a job that may run once is unknown although it never began",
                "engine.job.AtMostOnceCrashTest#onlyJobsWhoseHandlerBeganAreUnknown",
                "expected: [1, 2, 3")
            .edit(java("memory.MemoryCompletions", "if (isOnce && began) {", "if (isOnce) {")),
        mutant(
                7,
                "latest takes the oldest tick of a gap",
                "engine.tick.CatchUpTest#latestRunsTheNewestTickOnceForTheCluster",
                "some elements were not expected: [2026-01-01T02:00:00Z")
            .edit(
                java(
                    "engine.tick.TickPlanner",
                    "Instant chosen = oldestToRun(runnable, latest, now);",
                    "Instant chosen = runnable;")),
        mutant(
                7,
                "ticks of a task run out of order",
                "testkit.contract.InMemoryLedgerOrderTest#tickOfAReplicaThatIsGoneRunsAgainBeforeNewerOnes",
                "expected: BUSY but was: CLAIMED")
            .edit(
                java(
                    "internal.ledger.SeriesRow",
                    "? isBehind(request.tick(), request.onOverlap())",
                    "? false")),
        mutant(
                10,
                "variables of Kubernetes Services are taken for settings",
                "engine.SettingsTest#variablesThatKubernetesInjectsForServicesAreIgnored",
                "MONOTICK_PORT is not a setting of Monotick")
            .edit(
                java(
                    "Environment",
                    "} else if (!isServiceLink(name, entry.getValue())) {",
                    "} else {")),
        mutant(
                10,
                "the port of a Kubernetes Service is taken for a setting",
                "engine.SettingsTest#variablesThatKubernetesInjectsForServicesAreIgnored",
                "MONOTICK_PORT is not a setting of Monotick")
            .edit(
                java(
                    "Environment",
                    "\n        || (name.endsWith(\"_PORT\") && SERVICE_ADDRESS.matcher(value).matches())",
                    "")),
        mutant(
                10,
                "registrations that differ are not shown",
                "engine.tick.ReplicaDifferencesTest#truthTableShowsWhatIsRegisteredDifferently",
                "could not find the following elements: [Difference[replica=two")
            .edit(java("engine.tick.ReplicaDifferences", "    differences = found;\n", "")),
        mutant(
                10,
                "no registration wins",
                "engine.tick.ReplicaDifferencesTest#truthTableShowsWhatIsRegisteredDifferently",
                "expected: \"two\" but was: null")
            .edit(java("engine.tick.ReplicaDifferences", "    superseded = winners;\n", "")),
        mutant(
                12,
                "the version of the time-zone data is not told",
                "engine.tick.ReplicaDifferencesTest#replicasTellTheirTimeZoneDataKindsAndTasks",
                "but was: \"\"")
            .edit(
                java(
                    "engine.tick.LocalConfig", "new MemberConfig(TZDB,", "new MemberConfig(\"\",")),
        mutant(
                12,
                "time-zone data that differ are not logged",
                "engine.tick.ReplicaDifferencesTest#otherTimeZoneDataAreLoggedOnce",
                "Expected size: 1 but was: 0")
            .edit(
                java(
                    "engine.tick.ReplicaDifferences",
                    "    compareZones(own, others);\n    Set",
                    "    Set")));
  }
}
