package dev.monotick.testkit;

import dev.monotick.Monotick;
import dev.monotick.testkit.Machine.Life;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Chooses faults, and strikes at moments of its choice and at named places. */
final class Adversary {

  private static final int MOST_STRIKES = 3;

  private final Simulation simulation;
  private final SimulationPlan plan;
  private final Findings findings;
  private final long leaseNanos;
  private int strikes;

  Adversary(Simulation simulation) {
    this.simulation = simulation;
    this.plan = simulation.plan();
    this.findings = simulation.findings();
    this.leaseNanos = plan.timing.leaseDuration().toNanos();
  }

  /** Chooses when to strike. */
  void prepare() {
    long chaos = plan.chaos.toNanos();
    for (int i = 0; i < plan.faults; i++) {
      simulation.later(plan.random.nextLong(chaos), this::fault);
    }
    int acts = plan.jobs || plan.edits ? 3 + plan.random.nextInt(6) : 0;
    for (int i = 0; i < acts; i++) {
      simulation.later(plan.random.nextLong(chaos), simulation.work()::act);
    }
    if (plan.calm) {
      simulation.later(chaos / 4 + plan.random.nextLong(chaos / 5), this::timedFailover);
    }
  }

  private Machine victim() {
    Life leader = plan.random.nextBoolean() ? simulation.leaders().leader() : null;
    return leader != null ? leader.machine : simulation.machine(plan.random.nextInt(plan.replicas));
  }

  private void fault() {
    if (simulation.isCalm()) {
      return;
    }
    Machine machine = victim();
    for (int tries = 0; tries < 8; tries++) {
      switch (plan.random.nextInt(8)) {
        case 0 -> {
          if (plan.kills && machine.is(process -> true)) {
            kill(machine, "");
            return;
          }
        }
        case 1, 2 -> {
          if (plan.pauses && machine.isWell()) {
            freeze(machine, "");
            return;
          }
        }
        case 3 -> {
          if (plan.partitions) {
            partition(machine);
            return;
          }
        }
        case 4 -> {
          if (plan.stops && machine.isWell() && simulation.work().depth() < 3) {
            stopOrResign(machine);
            return;
          }
        }
        case 5 -> {
          if (plan.storeRestarts && !simulation.isStoreDown()) {
            restartStore();
            return;
          }
        }
        case 6 -> {
          if (plan.clockSteps) {
            stepClock(machine);
            return;
          }
        }
        default -> {
          if (plan.rates || plan.ratesBeyondBound) {
            changeRate(machine);
            return;
          }
        }
      }
    }
  }

  /** Strikes a process at a place, if the plan has it so. */
  void strike(Life process, Seen place) {
    if (mayStrike(process)) {
      findings.fault(place, process.toString());
      if (plan.one(3)) {
        kill(process.machine, " " + place.text());
      } else {
        freeze(process.machine, " " + place.text());
      }
    }
  }

  /** Strikes the process whose code calls this; returns when it may go on. */
  void strikeHere(Life process, Seen place) {
    strike(process, place);
    awaitThaw(process);
  }

  private boolean mayStrike(Life process) {
    return !simulation.isCalm()
        && strikes < MOST_STRIKES
        && process.machine.process == process
        && process.machine.isWell()
        && plan.percent(plan.failpointPercent)
        && ++strikes > 0;
  }

  /** Waits on the stack of a process until it may go on. */
  void awaitThaw(Life process) {
    process.threads.requireAlive();
    if (process.threads.isFrozen()) {
      simulation.runWhile(() -> process.threads.isFrozen() && process.threads.isAlive());
      process.threads.requireAlive();
    }
  }

  private void kill(Machine machine, String where) {
    findings.fault(Seen.KILLS, machine + where);
    simulation.kill(machine);
    simulation.later(
        plan.random.nextLong(3 * leaseNanos),
        () -> {
          if (!simulation.isCalm() && !machine.is(process -> true)) {
            simulation.start(machine);
          }
        });
  }

  private void freeze(Machine machine, String where) {
    Life process = machine.process;
    if (process == null) {
      return;
    }
    double[] lengths = {0.5, 0.9, 1.1, 1.1, 3};
    long nanos = (long) (leaseNanos * lengths[plan.random.nextInt(lengths.length)]);
    boolean beyond = nanos > leaseNanos;
    findings.fault(
        beyond ? Seen.PAUSES_BEYOND_LEASE : Seen.PAUSES_WITHIN_LEASE,
        machine + " for " + nanos / 1_000_000 + " ms" + where);
    process.threads.freeze();
    boolean suspend = plan.suspends && plan.random.nextBoolean();
    simulation.later(nanos, () -> thaw(process, suspend ? Duration.ofNanos(nanos) : null));
  }

  private void thaw(Life process, @Nullable Duration suspended) {
    if (process.threads.isAlive() && process.threads.isFrozen()) {
      if (suspended != null) {
        findings.see(Seen.SUSPENDS);
        process.machine.clock.sleptFor(suspended);
      }
      process.threads.thaw();
    }
  }

  private void partition(Machine machine) {
    findings.fault(Seen.PARTITIONS, machine.toString());
    int direction = plan.random.nextInt(3);
    machine.requestsCut = direction != 1;
    machine.repliesCut = direction != 2;
    simulation.later(
        leaseNanos / 4 + plan.random.nextLong(2 * leaseNanos),
        () -> {
          machine.requestsCut = false;
          machine.repliesCut = false;
        });
  }

  private void stopOrResign(Machine machine) {
    Life process = machine.process;
    Monotick engine = process == null ? null : process.engine;
    if (process == null || engine == null) {
      return;
    }
    if (plan.random.nextBoolean()) {
      engine.resign("default");
      return;
    }
    findings.fault(Seen.STOPS, machine.toString());
    process.stopping = true;
    try {
      engine.stop(Duration.ofMillis(plan.random.nextInt(1_000)));
    } catch (ReplicaKilled e) {
      return; // killed while it stopped; that has its own end
    }
    simulation.stopped(process);
    simulation.later(
        plan.random.nextLong(leaseNanos),
        () -> {
          if (!machine.is(running -> true)) {
            simulation.start(machine);
          }
        });
  }

  private void restartStore() {
    findings.fault(Seen.STORE_RESTARTS, "");
    simulation.stopStore();
    simulation.later(plan.random.nextLong(2 * leaseNanos), simulation::startStore);
  }

  private void stepClock(Machine machine) {
    findings.fault(Seen.CLOCK_STEPS, machine.toString());
    long seconds = plan.one(2) ? plan.random.nextLong(7_200) - 3_600 : plan.random.nextLong(6) - 3;
    machine.clock.offset(Duration.ofSeconds(seconds));
  }

  private void changeRate(Machine machine) {
    double wrong = plan.random.nextDouble() * 0.19 - 0.095;
    if (plan.ratesBeyondBound) {
      simulation.exceedRates();
      wrong =
          plan.random.nextBoolean() ? -0.6 * plan.random.nextDouble() : plan.random.nextDouble();
    }
    findings.fault(
        plan.ratesBeyondBound ? Seen.RATES_BEYOND_BOUND : Seen.RATES_WITHIN_BOUND,
        machine + " by " + wrong);
    machine.clock.rate(1 + wrong);
  }

  /** I7: a leader that is gone for good, all else well, is followed in bounded time. */
  private void timedFailover() {
    Life leader = simulation.leaders().leader();
    if (leader == null || !leader.machine.isWell()) {
      return;
    }
    findings.see(Seen.FAILOVERS_TIMED);
    int before = simulation.leaders().terms();
    if (plan.random.nextBoolean()) {
      kill(leader.machine, " for good");
    } else {
      leader.machine.requestsCut = true;
      leader.machine.repliesCut = true;
      findings.fault(Seen.PARTITIONS, leader.machine + " for good");
    }
    long poll = plan.timing.renewInterval().toNanos();
    // Lease and poll by clocks that run up to a tenth slower, and a few messages on their way.
    long bound = (leaseNanos + poll * 12 / 10) * 11 / 10 + 200_000_000;
    simulation.later(
        bound,
        () ->
            findings.require(
                simulation.leaders().terms() > before,
                "I7",
                () -> "nobody followed " + leader + " within " + bound / 1_000_000 + " ms"));
  }
}
