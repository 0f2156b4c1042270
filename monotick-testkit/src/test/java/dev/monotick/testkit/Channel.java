package dev.monotick.testkit;

import dev.monotick.engine.thread.Result;
import dev.monotick.error.StoreException;
import dev.monotick.testkit.Machine.Life;
import java.util.concurrent.TimeoutException;

/**
 * One process's way to the store: messages take their time, overtake each other, arrive twice or
 * never, and connections break before and after a commit.
 */
final class Channel implements Network {

  private static final int USUAL_NANOS = 15_000_000;
  private static final long LEAST_NANOS = 500_000;

  private final Simulation simulation;
  private final SimulationPlan plan;
  private final Findings findings;
  private final Life process;
  private final Machine machine;

  Channel(Simulation simulation, Life process) {
    this.simulation = simulation;
    this.plan = simulation.plan();
    this.findings = simulation.findings();
    this.process = process;
    this.machine = process.machine;
  }

  @Override
  public <T> void send(ManualThreads from, Message<T> message) {
    new Flight<>(message).depart();
  }

  /** Without a stack, as the other one: there are many of them, and nobody reads it. */
  private static final class Broken extends StoreException {
    private static final long serialVersionUID = 1L;

    Broken() {
      super("the connection broke");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  private static final class NoAnswer extends TimeoutException {
    private static final long serialVersionUID = 1L;

    NoAnswer() {
      super("no answer in time");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /** One message and its answer. */
  private final class Flight<T> {

    private final Message<T> message;
    private final Call call;
    private final long sent = machine.clock.nanosWithSleep();
    private boolean answered;
    private boolean timed;

    Flight(Message<T> message) {
      this.message = message;
      this.call = Call.of(message.what());
    }

    void depart() {
      findings.trace(() -> process + " sends " + message.what());
      if (call == Call.RELEASE) {
        simulation.leaders().releases(process);
        simulation.adversary().strike(process, Seen.AT_BEFORE_RELEASE);
      } else if (call == Call.RENEW) {
        simulation.adversary().strike(process, Seen.AT_DURING_RENEW);
      }
      if (isLost()) {
        findings.see(Seen.LOST_REQUESTS);
        lost();
        return;
      }
      long there = delay();
      simulation.later(there, this::arrive);
      if (plan.percent(simulation.isCalm() ? 0 : plan.duplicatePercent)) {
        simulation.later(there + delay() * (1 + plan.random.nextInt(60)), this::arriveAgain);
      }
    }

    private boolean isLost() {
      return machine.requestsCut
          || simulation.isStoreDown()
          || (!simulation.isCalm() && plan.percent(plan.lossPercent));
    }

    private void arrive() {
      if (simulation.isStoreDown()) {
        findings.see(Seen.LOST_REQUESTS);
        lost();
        return;
      }
      boolean cut = !simulation.isCalm() && plan.percent(plan.cutCommitPercent);
      boolean before = cut && plan.random.nextBoolean();
      if (before) {
        findings.fault(Seen.UNKNOWN_COMMITS_NOT_DONE, process + " " + message.what());
        lost();
        return;
      }
      if (call.claims()) {
        simulation.adversary().strike(process, Seen.AT_BEFORE_CLAIM_COMMIT);
      }
      Result<T> result = message.arrive();
      findings.trace(
          () -> process + " has " + message.what() + " done: " + Simulation.describe(result));
      if (call.claims()) {
        simulation.adversary().strike(process, Seen.AT_AFTER_CLAIM_COMMIT);
      }
      if (cut) {
        findings.fault(Seen.UNKNOWN_COMMITS_DONE, process + " " + message.what());
        lost();
      } else if (machine.repliesCut || (!simulation.isCalm() && plan.percent(plan.lossPercent))) {
        findings.see(Seen.LOST_REPLIES);
        lost();
      } else {
        int epoch = simulation.storeStarts();
        long back = delay();
        if (back > message.timeout().toNanos() / 2) {
          timeOut();
        }
        simulation.later(process, back, () -> answer(epoch, result));
      }
    }

    private void arriveAgain() {
      if (!simulation.isStoreDown()) {
        findings.see(Seen.DUPLICATES);
        findings.trace(() -> process + " has " + message.what() + " done once more");
        message.arrive();
      }
    }

    private void answer(int epoch, Result<T> result) {
      if (epoch == simulation.storeStarts()) {
        deliver(result);
      } else {
        findings.see(Seen.LOST_REPLIES);
        deliver(Result.failed(new Broken())); // done, but the connection did not outlive the store
      }
    }

    /** No answer: the sender either sees its connection break, or waits. */
    private void lost() {
      if (plan.silentLoss || isShort()) {
        timeOut();
      } else {
        simulation.later(process, delay(), () -> deliver(Result.failed(new Broken())));
      }
    }

    /** Half of the calls of leases: their timeouts are short, so silence costs little time. */
    private boolean isShort() {
      return message.timeout().compareTo(plan.timing.renewTimeout()) <= 0
          && plan.random.nextBoolean();
    }

    private void timeOut() {
      if (!timed) {
        timed = true;
        process.threads.schedule(message.timeout(), () -> deliver(Result.failed(new NoAnswer())));
      }
    }

    private void deliver(Result<T> result) {
      if (answered) {
        findings.see(Seen.LATE_REPLIES);
        return;
      }
      answered = true;
      findings.trace(
          () -> process + " learns of " + message.what() + ": " + Simulation.describe(result));
      process.standing.delivered(call, sent, result);
      simulation.ticks().delivered(process, call, result);
      message.reply().handle(result);
    }

    private long delay() {
      long usual = LEAST_NANOS + plan.random.nextInt(USUAL_NANOS);
      if (!simulation.isCalm() && plan.percent(plan.latePercent)) {
        return usual + plan.random.nextLong(2 * plan.timing.renewTimeout().toNanos());
      }
      return usual;
    }
  }
}
