package dev.monotick.testkit;

import dev.monotick.mutation.Edit;
import dev.monotick.mutation.TestMutant;
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
    return Edit.ofClass("monotick-core", "dev.monotick." + type, original, replacement);
  }

  static List<TestMutant> all() {
    return List.of(
        mutant(
                1,
                "a membership that was lost keeps its id",
                "engine.MembershipTest#processThatLostItsMembershipJoinsUnderAnotherId",
                "not to contain")
            .edit(java("engine.Membership", "    context.identity().renew();\n", "")),
        mutant(
                1,
                "the store lets a membership that is over claim jobs",
                "testkit.InMemoryJobRescueTest#replicaThatIsGoneClaimsNothing",
                "Expecting empty but was")
            .edit(
                java(
                    "memory.InMemoryJobStore",
                    "turn.number() > 0 && registry.isAlive(turn.replica());",
                    "turn.number() > 0;")),
        mutant(
                2,
                "a completion that is refused becomes a dead letter",
                "worker.RefusedEndTest#othersAreRecordedAndTheRefusedOneIsKeptAsItWas",
                "to match given predicate")
            .edit(
                java(
                    "worker.RefusedEnds",
                    "due.addAll(wait.ends);",
                    """
                    for (End end : wait.ends) {
                      due.add(new End(new dev.monotick.job.store.JobFinish(
                          end.finish().job(),
                          new dev.monotick.job.store.JobFinish.Died("refused"),
                          end.finish().startedAt(),
                          end.finish().took()), end.cause()));
                    }""")),
        mutant(
                2,
                "a completion that is refused is dropped",
                "worker.RefusedEndTest#othersAreRecordedAndTheRefusedOneIsKeptAsItWas",
                "to match given predicate")
            .edit(java("worker.RefusedEnds", "due.addAll(wait.ends);", "")),
        mutant(
                4,
                "a job that may run once is unknown although it never began",
                "worker.AtMostOnceCrashTest#onlyJobsWhoseHandlerBeganAreUnknown",
                "expected: [1, 2, 3")
            .edit(java("memory.JobEnds", "if (isOnce && began) {", "if (isOnce) {")),
        mutant(
                7,
                "latest takes the oldest tick of a gap",
                "engine.CatchUpTest#latestRunsTheNewestTickOnceForTheCluster",
                "some elements were not expected: [2026-01-01T02:00:00Z")
            .edit(
                java(
                    "engine.TickPlanner",
                    "Instant chosen = oldestToRun(runnable, latest, now);",
                    "Instant chosen = runnable;")),
        mutant(
                7,
                "ticks of a task run out of order",
                "testkit.InMemoryLedgerOrderTest#tickOfAReplicaThatIsGoneRunsAgainBeforeNewerOnes",
                "expected: BUSY but was: CLAIMED")
            .edit(
                java(
                    "ledger.internal.TaskRow",
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
                "engine.ReplicaDifferencesTest#truthTableShowsWhatIsRegisteredDifferently",
                "could not find the following elements: [Difference[replica=two")
            .edit(java("engine.ReplicaDifferences", "    differences = found;\n", "")),
        mutant(
                10,
                "no registration wins",
                "engine.ReplicaDifferencesTest#truthTableShowsWhatIsRegisteredDifferently",
                "expected: \"two\" but was: null")
            .edit(java("engine.ReplicaDifferences", "    superseded = winners;\n", "")),
        mutant(
                12,
                "the version of the time-zone data is not told",
                "engine.ReplicaDifferencesTest#replicasTellTheirTimeZoneDataKindsAndTasks",
                "but was: \"\"")
            .edit(java("engine.OwnConfig", "new ReplicaConfig(TZDB,", "new ReplicaConfig(\"\",")),
        mutant(
                12,
                "time-zone data that differ are not logged",
                "engine.ReplicaDifferencesTest#otherTimeZoneDataAreLoggedOnce",
                "Expected size: 1 but was: 0")
            .edit(
                java(
                    "engine.ReplicaDifferences",
                    "    compareZones(own, others);\n    Set",
                    "    Set")));
  }
}
