package dev.monotick.testkit;

import java.util.List;
import java.util.Set;

/** The mistakes that the simulation must find; see {@link MutantTest}. */
final class Mutants {

  private Mutants() {}

  static List<Mutant> all() {
    return List.of(
        Mutant.of(
            "validity counted from the response",
            "engine.leader.Elector",
            Set.of("I2", "I6"),
            "new LocalLease(timing, time, sent)",
            "new LocalLease(timing, time, LocalLease.Sent.now(time))",
            "current.lease().renewed(sent)",
            "current.lease().renewed(LocalLease.Sent.now(time))"),
        Mutant.of(
            "epoch predicate dropped",
            "internal.ledger.Fences",
            Set.of("I4"),
            "return proof != null && !proof.fence().equals(newest.get(proof.group()));",
            "return proof != null && newest.get(proof.group()) == null;"),
        Mutant.of(
            "wall clock used for the lease",
            "engine.member.LocalLease",
            Set.of("I2", "I6"),
            "return time.nanos() - sent.nanos();",
            "return Duration.between(sent.wall(), time.now()).toNanos();",
            "return disagree ? ended(LossCause.CLOCKS_DISAGREE) : null;",
            "return null;"),
        Mutant.of(
            "suspended time not noticed",
            "engine.member.LocalLease",
            Set.of("I2", "I6", "I8", "J7"),
            "return disagree ? ended(LossCause.CLOCKS_DISAGREE) : null;",
            "return null;"),
        Mutant.of(
            "acts on an unknown commit",
            "engine.tick.TaskLoop",
            Set.of("I13", "I3"),
            "    open.add(request.claim());\n    ledger.claim(",
            """
                open.add(request.claim());
                host.context().threads().schedule(Duration.ofMillis(500), () -> {
                  if (claiming && open.contains(request.claim())) {
                    begin(new ClaimedTick(request.tick(), request.claim(), 1, plan.due(), authority));
                  }
                });
                ledger.claim("""),
        Mutant.of(
                "resigns before its work has ended",
                "engine.Resignation",
                Set.of("I6"),
                "if (!engine.isQuiet() || engine.bodies().anyRuns(run -> run.claimed().term() == term)) {",
                "if (!engine.isQuiet()) {")
            .from(650),
        Mutant.of(
                "hands over before its work has ended when it stops",
                "engine.StopSequence",
                Set.of("I6"),
                "boolean workRuns = term != null && engine.bodies().anyRuns(run -> run.claimed().term() == term);",
                "boolean workRuns = false;")
            .from(250),
        Mutant.of(
                "renewal revives an expired term in the store",
                "memory.InMemoryElection",
                Set.of("I2"),
                "if (!isHeld() || !replica.equals(holder)",
                "if (!replica.equals(holder)")
            .from(6000),
        Mutant.of(
            "renewal revives an expired term in the replica",
            "engine.member.LocalLease",
            Set.of("I2", "I6"),
            "    if (!isValid()) {\n      return false;\n    }\n    lastAcknowledged",
            "    end = null;\n    lastAcknowledged"),
        Mutant.of(
            "lease given to another before it ran out",
            "memory.InMemoryElection",
            Set.of("I2"),
            "ticker.read() - endsAt < 0",
            "ticker.read() - endsAt < -200_000_000L"),
        Mutant.of(
            "fence not minted anew for each term",
            "internal.ledger.Fences",
            Set.of("I1"),
            "new Fence(TIMELINE, current.epoch() + 1)",
            "current"),
        Mutant.of(
                "body begins without a last look",
                "engine.tick.TaskBodies",
                Set.of("I6"),
                "boolean began = !run.isCancelled();",
                "boolean began = true;")
            .from(100),
        Mutant.of(
            "claim counts without the state that was seen",
            "internal.ledger.SeriesRow",
            Set.of("I12", "I3", "I5"),
            "if (isNot(request.seen()) || !request.tick().nominal().isAfter(cursor)) {",
            "if (request.tick().nominal().isBefore(cursor.minusSeconds(1))) {"),
        Mutant.of(
            "tick of a dead replica run again whatever its effect",
            "internal.ledger.TickRow",
            Set.of("I3"),
            "return effect != null && effect != Effect.AT_MOST_ONCE && attempt < SeriesRow.ATTEMPTS;",
            "return attempt < SeriesRow.ATTEMPTS;"),
        Mutant.of(
            "paused task claimed all the same",
            "internal.ledger.SeriesRow",
            Set.of("I9"),
            "    if (pause != null) {\n      return reply(Kind.PAUSED);\n    }\n    if (isNot(request.seen()) || !request.tick()",
            "    if (isNot(request.seen()) || !request.tick()"),
        Mutant.of(
            "overlap not checked",
            "internal.ledger.SeriesRow",
            Set.of("I8", "I14"),
            "boolean free = request.onOverlap() == OverlapRule.ALLOW || ticks.occupying() == 0;",
            "boolean free = true;"),
        Mutant.of(
            "tick claimed while an older one waits",
            "internal.ledger.SeriesRow",
            Set.of("I14"),
            "? isBehind(request.tick(), request.onOverlap())",
            "? false"),
        Mutant.of(
            "tick that may have begun passed over",
            "internal.ledger.SeriesRow",
            Set.of("I5"),
            "if (request.passedOver() != null && !row.mayHaveBegun()) {",
            "if (request.passedOver() != null) {"),
        Mutant.of(
                "granted twice and never given back",
                "engine.tick.TaskLoop",
                Set.of("I5"),
                "if (open.contains(held.claim())) {",
                "if (held != null) {")
            .from(6400),
        Mutant.of(
                "lost membership still starts what was claimed",
                "engine.member.Membership",
                Set.of("I6"),
                "current.lease.end(cause);",
                "")
            .from(2300),
        Mutant.of(
            "follower never asks again",
            "engine.leader.Elector",
            Set.of("I7", "I10"),
            "tryAgainAfter(untilNextPoll());",
            "tryAgainAfter(timing.leaseDuration().multipliedBy(20));"),
        Mutant.of(
            "job ended by a replica that no longer has it",
            "memory.MemoryCompletions",
            Set.of("J7", "J2", "J3", "J4"),
            "if (!row.isRunBy(replica, finish.job().run())) {",
            "if (row.claim == null) {"),
        Mutant.of(
                "job retried without a look at its state",
                "memory.InMemoryJobStore",
                Set.of("J2", "J7"),
                "row.state.isTerminal()\n                  && row.state != JobState.SUCCEEDED\n                  && table.keys",
                "table.keys")
            .and(
                "spi.job.JobTransition",
                "Set.of(DEAD, JobState.CANCELLED, REJECTED, EXPIRED, JobState.UNKNOWN)",
                "Set.of(DEAD, JobState.CANCELLED, REJECTED, EXPIRED, JobState.UNKNOWN, SUCCEEDED,"
                    + " RUNNING)"),
        Mutant.of(
                "limit checked outside of the transaction",
                "memory.MemoryLimits",
                Set.of("J6"),
                "limit.running().get() - use.running)",
                "limit.running().get() - seen(use))",
                "if (use.running >= limit.running().orElse(Integer.MAX_VALUE)) {",
                "if (seen(use) >= limit.running().orElse(Integer.MAX_VALUE)) {",
                "  /** Returns how long until a lane may begin one again",
                """
              private final Map<Use, Integer> seen = new HashMap<>();

              private int seen(Use use) {
                Integer before = seen.put(use, use.running);
                return before == null ? use.running : Math.min(before, use.running);
              }

              /** Returns how long until a lane may begin one again""")
            .from(100),
        Mutant.of(
            "repeated claim claims once more",
            "memory.MemoryClaims",
            Set.of("J1"),
            "if (isUsed(request)) {",
            "if (request.most() < 0) {"),
        Mutant.of(
            "job of a lost membership begins under the next one",
            "engine.member.Membership",
            Set.of("J8"),
            "current.id.equals(id) && current",
            "current"),
        Mutant.of(
            "claim that left an offer is taken for one that got jobs",
            "engine.job.JobFetcher",
            Set.of("J1"),
            "if (reply.claim().used()) {",
            "if (reply.claim().used() || sent.request().offers()) {"),
        Mutant.of(
            "jobs of living replicas rescued",
            "memory.InMemoryJobStore",
            Set.of("J7", "I3", "J6"),
            "if (!registry.keepsClaims(replica)) {",
            "if (replica != null) {"),
        Mutant.of(
            "attempts not counted",
            "spi.job.Completion",
            Set.of("J3", "J1"),
            "job.run().attempt() >= job.rules().maxAttempts()",
            "job.run().attempt() > job.rules().maxAttempts() + 1"),
        Mutant.of(
            "job that was lost begins, and that is not on record",
            "engine.job.RunStarts",
            Set.of("J3"),
            "if (!job.needsStart()) {",
            "if (job.rules().effect() != dev.monotick.work.Effect.AT_MOST_ONCE) {"),
        Mutant.of(
            "job that may run once begins, and that is not on record",
            "engine.job.RunStarts",
            Set.of("J3", "I3"),
            "if (!job.needsStart()) {",
            "if (job.crashes() == 0) {"),
        Mutant.of(
            "job that may run once is unknown although it never began",
            "memory.MemoryCompletions",
            Set.of("J3"),
            "if (isOnce && began) {",
            "if (isOnce) {"),
        Mutant.of(
                "job given up although it never began",
                "memory.MemoryCompletions",
                Set.of("J3"),
                "boolean counts = crashed && mayHaveBegun;",
                "boolean counts = true;")
            .from(8200),
        Mutant.of(
            "unique key not looked up",
            "memory.JobIntake",
            Set.of("J5"),
            "Optional<JobId> same = table.keys.holderOtherThan(row, now);",
            "Optional<JobId> same = Optional.empty();"),
        Mutant.of(
                "job begins on a replica that is not proven to live",
                "engine.job.JobSlots",
                Set.of("I6"),
                "return !stopped && owner.mayRun(job.owner());",
                "return !stopped;")
            .from(1450));
  }
}
