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
            "engine.Elector",
            Set.of("I2", "I6"),
            "new Lease(timing, time, sent)",
            "new Lease(timing, time, Lease.Sent.now(time))",
            "current.lease().renewed(sent)",
            "current.lease().renewed(Lease.Sent.now(time))"),
        Mutant.of(
            "epoch predicate dropped",
            "memory.Fences",
            Set.of("I4"),
            "return proof != null && !proof.fence().equals(newest.get(proof.group()));",
            "return proof != null && newest.get(proof.group()) == null;"),
        Mutant.of(
            "wall clock used for the lease",
            "engine.Lease",
            Set.of("I2", "I6"),
            "return time.nanos() - sent.nanos();",
            "return Duration.between(sent.wall(), time.now()).toNanos();",
            "return disagree ? ended(LossCause.CLOCKS_DISAGREE) : null;",
            "return null;"),
        Mutant.of(
            "suspended time not noticed",
            "engine.Lease",
            Set.of("I2", "I6", "I8", "J7"),
            "return disagree ? ended(LossCause.CLOCKS_DISAGREE) : null;",
            "return null;"),
        Mutant.of(
            "acts on an unknown commit",
            "engine.TaskLoop",
            Set.of("I13", "I3"),
            "    open.add(request.claim());\n    ledger.claim(",
            """
                open.add(request.claim());
                host.context().threads().schedule(Duration.ofMillis(500), () -> {
                  if (claiming && open.contains(request.claim())) {
                    begin(new Claimed(request.tick(), request.claim(), 1, plan.due(), authority));
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
            .from(1000),
        Mutant.of(
            "renewal revives an expired term in the replica",
            "engine.Lease",
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
            "memory.Fences",
            Set.of("I1"),
            "new Fence(TIMELINE, current.epoch() + 1)",
            "current"),
        Mutant.of(
                "body begins without a last look",
                "engine.Bodies",
                Set.of("I6"),
                "boolean began = !run.isCancelled();",
                "boolean began = true;")
            .from(100),
        Mutant.of(
            "claim counts without the state that was seen",
            "ledger.internal.TaskRow",
            Set.of("I12", "I3", "I5"),
            "if (isNot(request.seen()) || !request.tick().nominal().isAfter(cursor)) {",
            "if (request.tick().nominal().isBefore(cursor.minusSeconds(1))) {"),
        Mutant.of(
            "tick of a dead replica run again whatever its effect",
            "ledger.internal.TickRow",
            Set.of("I3"),
            "return effect != null && effect != Effect.AT_MOST_ONCE && attempt < TaskRow.ATTEMPTS;",
            "return attempt < TaskRow.ATTEMPTS;"),
        Mutant.of(
            "paused task claimed all the same",
            "ledger.internal.TaskRow",
            Set.of("I9"),
            "    if (pause != null) {\n      return reply(Kind.PAUSED);\n    }\n    if (isNot(request.seen()) || !request.tick()",
            "    if (isNot(request.seen()) || !request.tick()"),
        Mutant.of(
            "overlap not checked",
            "ledger.internal.TaskRow",
            Set.of("I8", "I14"),
            "boolean free = request.onOverlap() == OnOverlap.ALLOW || ticks.occupying() == 0;",
            "boolean free = true;"),
        Mutant.of(
            "tick claimed while an older one waits",
            "ledger.internal.TaskRow",
            Set.of("I14"),
            "? isBehind(request.tick(), request.onOverlap())",
            "? false"),
        Mutant.of(
            "tick that may have begun passed over",
            "ledger.internal.TaskRow",
            Set.of("I5"),
            "if (request.passedOver() != null && !row.mayHaveBegun()) {",
            "if (request.passedOver() != null) {"),
        Mutant.of(
                "granted twice and never given back",
                "engine.TaskLoop",
                Set.of("I5"),
                "if (open.contains(held.claim())) {",
                "if (held != null) {")
            .from(6400),
        Mutant.of(
                "lost membership still starts what was claimed",
                "engine.Membership",
                Set.of("I6"),
                "current.lease.end(cause);",
                "")
            .from(2300),
        Mutant.of(
            "follower never asks again",
            "engine.Elector",
            Set.of("I7", "I10"),
            "tryAgainAfter(untilNextPoll());",
            "tryAgainAfter(timing.leaseDuration().multipliedBy(20));"),
        Mutant.of(
            "job ended by a replica that no longer has it",
            "memory.JobEnds",
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
                "job.JobTransition",
                "Set.of(DEAD, JobState.CANCELLED, REJECTED, EXPIRED, JobState.UNKNOWN)",
                "Set.of(DEAD, JobState.CANCELLED, REJECTED, EXPIRED, JobState.UNKNOWN, SUCCEEDED,"
                    + " RUNNING)"),
        Mutant.of(
                "limit checked outside of the transaction",
                "memory.JobLimits",
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
            "repeated turn claims once more",
            "memory.JobClaims",
            Set.of("J1"),
            "if (isUsed(turn) || turn.closes()) {",
            "if (turn.closes()) {"),
        Mutant.of(
            "job of a lost membership begins under the next one",
            "engine.Membership",
            Set.of("J8"),
            "current.id.equals(id) && current",
            "current"),
        Mutant.of(
            "open turn taken for one that has claimed",
            "worker.Turns",
            Set.of("J1"),
            "if (reply.used()) {",
            "if (reply.used() || turn.staysOpen()) {"),
        Mutant.of(
            "jobs of living replicas rescued",
            "memory.InMemoryJobStore",
            Set.of("J7", "I3", "J6"),
            "if (!registry.keepsClaims(replica)) {",
            "if (replica != null) {"),
        Mutant.of(
            "attempts not counted",
            "job.store.JobFinish",
            Set.of("J3", "J1"),
            "job.run().attempt() >= job.rules().maxAttempts()",
            "job.run().attempt() > job.rules().maxAttempts() + 1"),
        Mutant.of(
            "job that was lost begins, and that is not on record",
            "worker.JobStarts",
            Set.of("J3"),
            "if (!job.needsStart()) {",
            "if (job.rules().effect() != dev.monotick.task.Effect.AT_MOST_ONCE) {"),
        Mutant.of(
            "job that may run once begins, and that is not on record",
            "worker.JobStarts",
            Set.of("J3", "I3"),
            "if (!job.needsStart()) {",
            "if (job.crashes() == 0) {"),
        Mutant.of(
            "job that may run once is unknown although it never began",
            "memory.JobEnds",
            Set.of("J3"),
            "if (isOnce && began) {",
            "if (isOnce) {"),
        Mutant.of(
                "job given up although it never began",
                "memory.JobEnds",
                Set.of("J3"),
                "boolean counts = crashed && mayHaveBegun;",
                "boolean counts = true;")
            .from(3850),
        Mutant.of(
            "unique key not looked up",
            "memory.JobIntake",
            Set.of("J5"),
            "Optional<JobId> same = table.keys.holderOtherThan(row, now);",
            "Optional<JobId> same = Optional.empty();"),
        Mutant.of(
                "job begins on a replica that is not proven to live",
                "worker.JobSlots",
                Set.of("I6"),
                "return !stopped && owner.mayRun(job.owner());",
                "return !stopped;")
            .from(1450));
  }
}
