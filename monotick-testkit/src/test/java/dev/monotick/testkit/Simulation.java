package dev.monotick.testkit;

import static java.util.Objects.requireNonNull;

import dev.monotick.Monotick;
import dev.monotick.engine.thread.Result;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.testkit.Machine.Life;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a whole cluster against a seeded adversary, on one thread and in virtual time: real
 * engines, the real store in memory, and between them a network that an adversary rules. What must
 * hold is checked after everything that happens, by what crosses the wire and by what bodies and
 * handlers do. The same seed gives the same run.
 */
final class Simulation {

  private static final Duration WATCH_EVERY = Duration.ofMillis(100);
  private static final Duration SILENT_CALL = Duration.ofSeconds(10);
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final int MOST_STEPS = 300_000;
  private static final Duration A_DAY = Duration.ofDays(1);

  private final SimulationPlan plan;
  private final ManualScheduler scheduler = new ManualScheduler();
  private final ManualThreads world = scheduler.newEngine(); // what happens outside of replicas
  private final InMemoryStore store;
  private final Findings findings;
  private final LeaderChecks leaders;
  private final TickChecks ticks;
  private final JobChecks jobs;
  private final Adversary adversary;
  private final SimulationWork work;
  private final List<Machine> machines = new ArrayList<>();
  private boolean calm;
  private boolean storeDown;
  private boolean ratesExceeded;
  private int storeStarts;
  private int processes;
  private int steps;

  private Simulation(long seed, boolean traced) {
    plan = new SimulationPlan(seed);
    findings = new Findings(scheduler.time(), traced);
    store =
        InMemoryStore.builder()
            .time(scheduler.time().timeSource())
            .leaseTiming(plan.timing)
            .historyPerTask(10_000)
            .build();
    leaders = new LeaderChecks(this);
    ticks = new TickChecks(this);
    jobs = new JobChecks(this);
    adversary = new Adversary(this);
    work = new SimulationWork(this);
    scheduler.afterEach(this::afterEach);
    scheduler.watchEvery(WATCH_EVERY);
  }

  /** Runs a seed and returns what it showed. */
  static Findings run(long seed) {
    return new Simulation(seed, false).run();
  }

  /** Runs a seed and keeps a line for everything that happened. */
  static Findings runTraced(long seed) {
    return new Simulation(seed, true).run();
  }

  private Findings run() {
    for (int i = 0; i < plan.replicas; i++) {
      Machine machine = new Machine(i, new ReplicaClock(scheduler.time()));
      machines.add(machine);
      start(machine);
    }
    adversary.prepare();
    scheduler.advance(plan.chaos);
    heal();
    settle();
    new LedgerChecks(this).check();
    jobs.check();
    findings.note(leaders.terms(), processes);
    return findings;
  }

  private void afterEach() {
    leaders.check();
    if (++steps == MOST_STEPS) { // a run that does not end shows nothing more
      findings.broken("I10", () -> "the cluster is busy with itself");
      machines.forEach(this::kill);
    }
  }

  /** Ends all faults. */
  private void heal() {
    findings.trace(() -> "all faults end");
    calm = true;
    if (storeDown) {
      startStore();
    }
    for (Machine machine : machines) {
      machine.requestsCut = false;
      machine.repliesCut = false;
      machine.clock.rate(1);
      Life process = machine.process;
      if (process != null && process.threads.isFrozen()) {
        process.threads.thaw();
      }
      if (!machine.is(running -> true)) {
        start(machine);
      }
    }
  }

  private void settle() {
    Duration lease = plan.timing.leaseDuration();
    // Nobody waits longer for anything: a retry at its slowest, then others go first for a lease.
    Duration bound =
        lease
            .multipliedBy(2)
            .plus(
                plan.calm
                    ? Duration.ZERO
                    : SimulationPlan.RETRY_CAP.plus(MemberRegistry.REJOIN_GRACE).plusSeconds(1));
    work.resumeAll();
    if (plan.silentLoss) {
      scheduler.advance(SILENT_CALL);
    }
    Instant latest = now().plus(bound);
    scheduler.advance(lease.multipliedBy(2)); // a term that nobody could renew runs out first
    while (now().isBefore(latest) && (plan.stops || !isQuiet())) {
      scheduler.advance(LOOK_EVERY);
    }
    leaders.settled();
    scheduler.advance(lease);
    findings.trace(() -> "the end");
  }

  /** Says whether all that was left has been seen to: waiting any longer would show nothing. */
  private boolean isQuiet() {
    return leaders.leader() != null && new LedgerChecks(this).isQuiet() && jobs.isQuiet();
  }

  void start(Machine machine) {
    Life process =
        new Life(
            machine,
            processes++,
            new Standing(machine.clock, plan.timing.trusted().toNanos()),
            Duration.ofMillis(plan.random.nextInt(60) - 30),
            life -> scheduler.newEngine(machine.clock, new Channel(this, life)));
    machine.process = process;
    Monotick engine =
        Monotick.builder()
            .store(new Wire(this, process))
            .time(machine.clock.timeSource())
            .threads(process.threads)
            .replicaName(machine.toString())
            .replicaId(new MemberId(new UUID(plan.random.nextLong(), plan.random.nextLong())))
            .concurrency(3)
            .build();
    process.engine = engine;
    plan.tasks.forEach(task -> engine.register(work.task(process, task)));
    if (plan.jobs) {
      SimulationWork.KINDS.forEach(kind -> engine.handle(kind, work.handler(process, kind)));
    }
    engine.subscribe(
        new LeadershipListener() {
          @Override
          public void gained(LeaderTerm term) {
            leaders.gained(process, term);
          }
        });
    findings.trace(() -> process + " starts");
    try {
      engine.start();
      process.started = true;
    } catch (ReplicaKilled e) {
      findings.trace(() -> process + " was killed while it started");
    }
  }

  void kill(Machine machine) {
    Life process = requireNonNull(machine.process);
    process.threads.kill();
    stopped(process);
  }

  /** A process is no more. */
  void stopped(Life process) {
    findings.trace(() -> process + " is gone");
    ticks.killed(process);
    jobs.killed(process);
  }

  void stopStore() {
    storeDown = true;
  }

  void startStore() {
    if (storeDown) {
      storeDown = false;
      storeStarts++;
    }
  }

  void exceedRates() {
    ratesExceeded = true;
  }

  // What the parts ask of each other.

  SimulationPlan plan() {
    return plan;
  }

  Findings findings() {
    return findings;
  }

  LeaderChecks leaders() {
    return leaders;
  }

  TickChecks ticks() {
    return ticks;
  }

  JobChecks jobs() {
    return jobs;
  }

  Adversary adversary() {
    return adversary;
  }

  SimulationWork work() {
    return work;
  }

  InMemoryStore store() {
    return store;
  }

  Machine machine(int index) {
    return machines.get(index);
  }

  @Nullable Machine anyWell() {
    for (Machine machine : machines) {
      if (machine.isWell()) {
        return machine;
      }
    }
    return null;
  }

  /** Says whether no fault may happen any more. */
  boolean isCalm() {
    return calm;
  }

  boolean isStoreDown() {
    return storeDown;
  }

  /** Returns how often the store came back; whoever was connected before is no more. */
  int storeStarts() {
    return storeStarts;
  }

  boolean ratesAreWithinBound() {
    return !ratesExceeded;
  }

  Instant now() {
    return scheduler.time().now();
  }

  long nanos() {
    return scheduler.time().nanos();
  }

  /** Has something happen later, whoever lives then. */
  void later(long nanos, Runnable action) {
    scheduler.add(world, nanos, action);
  }

  /** Has something happen later in a process, if it lives then, and not while it is frozen. */
  void later(Life process, long nanos, Runnable action) {
    scheduler.add(process.threads, nanos, action);
  }

  void runWhile(BooleanSupplier condition) {
    scheduler.runUntil(scheduler.elapsed() + A_DAY.toNanos(), () -> !condition.getAsBoolean());
  }

  static String describe(Result<?> result) {
    return String.valueOf(result.isValue() ? result.value() : result.failure());
  }
}
