package dev.monotick.postgres;

import dev.monotick.checks.mutation.Edit;
import dev.monotick.checks.mutation.TestMutant;
import java.util.List;

/** Defects that were found and fixed, brought back one by one; see {@link PostgresMutantTest}. */
final class PostgresMutants {

  private static final String RESCUES = "NewestServerJobsTest$Rescue#";
  private static final String REGISTRY = "NewestServerTest$Replicas#";

  private PostgresMutants() {}

  private static TestMutant mutant(int item, String name, String test, String caughtBy) {
    return TestMutant.of(item, name, "dev.monotick.postgres." + test, caughtBy);
  }

  private static Edit sql(String part, String original, String replacement) {
    String file = "dev/monotick/postgres/schema/V1__baseline." + part + ".sql";
    return new Edit("monotick-postgres", file, original, replacement);
  }

  private static Edit java(String type, String original, String replacement) {
    return Edit.ofClass(
        "monotick-postgres", "dev.monotick.postgres." + type, original, replacement);
  }

  static List<TestMutant> all() {
    return List.of(
        mutant(
                1,
                "a membership that is over claims jobs",
                RESCUES + "replicaThatIsGoneClaimsNothing",
                "Expecting empty but was: [ClaimedJob[")
            .edit(
                sql(
                    "job_exchange",
                    "if request.number > 0 and rules = request.rules_version and not exists (select from @replica_gone g where g.id = who) then",
                    "if request.number > 0 and rules = request.rules_version then")),
        mutant(
                1,
                "the number of a turn is free again after a rescue",
                RESCUES + "numberStaysUsedAfterRescueAndRejoin",
                "[sent by the former membership] Expecting empty")
            .edit(
                sql(
                    "job_exchange",
                    "if request.number > 0 and rules = request.rules_version and not exists (select from @replica_gone g where g.id = who) then",
                    "if request.number > 0 and rules = request.rules_version then")),
        mutant(
                1,
                "a membership that is over can join again",
                REGISTRY + "replicaThatIsGoneNeverComesBack",
                "[by joining] Expecting value to be false")
            .edit(
                java(
                    "replica.MemberTable",
                    "\"select 1 from @replica_gone where id = ?\"",
                    "\"select 1 from @replica_gone where id = ? and false\""))
            .edit(
                java(
                    "replica.MemberTable",
                    "+ \" where r.gone_at is null returning r.heartbeat\");",
                    "+ \", gone_at = null returning r.heartbeat\");")),
        mutant(
                1,
                "a turn of long ago claims jobs under an old number",
                "job.RescueTest#lateRepetitionOfATurnClaimsNothing",
                "Expecting empty but was: [ClaimedJob[")
            .edit(
                sql(
                    "job_claim",
                    "c.replica = who and c.number >= claim);",
                    "c.replica = who and c.number = claim);")),
        mutant(
                3,
                "a replica that starts inherits no scan position",
                "job.ScanRestartTest#aReplicaThatStartsBeginsWhereOthersWere",
                "to be less than")
            .edit(
                java(
                    "job.lane.ScanUpkeep",
                    "book.inherit(table.load(), clock.sendTime());",
                    "book.inherit(new ScanPositions.Inherited(List.of(), table.load().timeline(),"
                        + " table.load().nowId()), clock.sendTime());"))
            .slow(),
        mutant(
                3,
                "a broken connection drops the scan position",
                "job.ScanRestartTest#aReplicaWhoseConnectionBrokeBeginsWhereItWas",
                "to be less than")
            .edit(
                java(
                    "job.lane.ScanUpkeep",
                    "book.inherit(table.load(), clock.sendTime());",
                    "book.inherit(new ScanPositions.Inherited(List.of(), table.load().timeline(),"
                        + " table.load().nowId()), clock.sendTime());"))
            .edit(
                java(
                    "job.queue.ClaimCalls",
                    "    } catch (StoreException e) {\n      if (wanted.most() > 0 && clock",
                    "    } catch (StoreException e) {\n      forget();\n      if (wanted.most() > 0 && clock"))
            .slow(),
        mutant(
                3,
                "an inherited scan position is ignored",
                "job.lane.ScanPositionsTest#aReplicaThatStartsBeginsWhereOthersWere",
                "AssertionFailedError: expected:")
            .edit(
                java(
                    "job.lane.ScanPositions",
                    "Math.max(Math.max(lane.claimed, lane.watermark), Math.min(each.position(), most));",
                    "Math.max(lane.claimed, lane.watermark);")),
        mutant(
                3,
                "scan positions of another timeline are saved",
                "job.ScanGapTest#positionsOfAnotherTimelineAreNotSaved",
                "but some elements were not expected: [\"9 9\"]")
            .edit(sql("job_scan", "if of_timeline <> now_timeline then", "if false then")),
        mutant(
                3,
                "scan positions of another timeline are trusted",
                "job.ScanGapTest#positionsOfAnotherTimelineAreLoweredByTenMinutes",
                "but some elements were not found: [\"t t 1\"]")
            .edit(
                sql(
                    "job_scan",
                    "   where s.timeline <> now_timeline;\n  return query select null",
                    "   where false;\n  return query select null")),
        mutant(
                4,
                "a rescue ignores that the start is not on record",
                RESCUES + "jobThatMayNotRunTwiceIsUnknownOnlyIfItsHandlerMayHaveBegun",
                "UNKNOWN, UNKNOWN")
            .edit(
                sql(
                    "job_rescue",
                    "when k.flag & 32 <> 0 and k.started_at is not null then 8",
                    "when k.flag & 32 <> 0 then 8")),
        mutant(
                4,
                "a run begins whose claim is gone",
                "job.RescueTest#withoutAClaimNothingBeginsOrEndsThoughNoAttemptIsLeft",
                "[begun]")
            .edit(
                sql(
                    "job_runs",
                    "     where exists (select from @job_claim c where c.replica = who and c.number = u.claim and cardinality(c.ids) > 0)\n       and not exists (select from @job_attempt a",
                    "     where not exists (select from @job_attempt a")),
        mutant(
                5,
                "a report counts without a claim",
                "job.RescueTest#withoutAClaimNothingBeginsOrEndsThoughNoAttemptIsLeft",
                "[reported]")
            .edit(
                sql(
                    "job_completion",
                    "if cardinality(held) = cardinality(of_claims) then",
                    "if true then")),
        mutant(
                6,
                "a second replica of the same name joins",
                REGISTRY + "secondReplicaOfTheSameNameIsRefusedByNameOfTheFirst",
                "Expecting code to raise a throwable")
            .edit(
                java(
                    "replica.PostgresMembers",
                    "return alone || other.alone() || other.name().equals(replica.name());",
                    "return alone || other.alone();")),
        mutant(
                6,
                "a replica that is silent and connected is never gone",
                REGISTRY + "replicaThatSendsHeartbeatsStays",
                "name=host-b")
            .edit(
                java(
                    "replica.LivenessObserver",
                    "if (crashed || at - before.since >= leaseNanos) {",
                    "if (crashed) {")),
        mutant(
                6,
                "a replica that was replaced is not fenced",
                "replica.MembershipTest#replicaThatJoinsAloneEndsTheOneThatIsDisconnected",
                "the following element(s) were unexpected")
            .edit(
                java(
                    "replica.PostgresMembers",
                    "others.stream().filter(other -> conflict(replica, other, alone)).toList();",
                    "List.of();")),
        mutant(
                8,
                "JIT stays on",
                "ConnectionSettingsTest#everyWriteHasTheEnginesSettings",
                "{\"read committed\",on,on,")
            .edit(
                java(
                    "connection.SessionSettings",
                    "+ \"set_config('jit', 'off', \"",
                    "+ \"set_config('jit', 'on', \"")),
        mutant(
                9,
                "one connection too few is counted",
                "ConnectionBudgetTest#poolThatIsTooSmallIsRefusedWithTheNumber",
                "but 5 are needed")
            .edit(java("ConnectionBudget", "sessions ? 3 : 1", "sessions ? 2 : 1")),
        mutant(
                11,
                "every advisory lock is taken for exclusive",
                "leader.ExclusionProbeTest#lockThatEveryoneGetsIsFound",
                "to contain: \"two sessions were given the same advisory lock\"")
            .edit(java("leader.ExclusionProbe", "      if (both) {", "      if (false) {")),
        mutant(
                11,
                "the isolation level is inherited",
                "ConnectionSettingsTest#everyWriteHasTheEnginesSettings",
                "serializ")
            .edit(
                java(
                    "connection.SessionSettings",
                    "+ \", set_config('default_transaction_isolation', 'read committed', false)\"",
                    ""))
            .slow(),
        mutant(
                11,
                "a join inherits the isolation level",
                "replica.MembershipTest#joinsSeeEachOtherWhateverTheDefaultIsolationIs",
                "Expecting actual not to be null")
            .edit(
                java(
                    "connection.SessionSettings",
                    "\"set transaction isolation level read committed; select \"",
                    "\"select \""))
            .edit(
                java(
                    "connection.SessionSettings",
                    "+ \", set_config('default_transaction_isolation', 'read committed', false)\"",
                    "")),
        mutant(
                11,
                "commits inherit their durability",
                "ConnectionSettingsTest#everyWriteHasTheEnginesSettings",
                "{\"read committed\",off,off,")
            .edit(
                java(
                    "connection.SessionSettings",
                    "+ (durable ? \", \" + durableCommit(false) : \"\");",
                    ";"))
            .slow(),
        mutant(
                12,
                "the version of the time-zone data is not recorded",
                REGISTRY + "othersLearnHowAReplicaIsConfigured",
                "config=MemberConfig[tzdb=, ")
            .edit(
                java(
                    "replica.MemberTable",
                    "statement.setString(1, config.tzdb());",
                    "statement.setString(1, \"\");")));
  }
}
