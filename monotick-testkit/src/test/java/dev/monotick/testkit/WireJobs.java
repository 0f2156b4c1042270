package dev.monotick.testkit;

import dev.monotick.job.JobId;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.replica.ReplicaId;
import dev.monotick.store.StoreException;
import dev.monotick.testkit.Machine.Life;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The jobs as one process reaches them: all is passed on, turns are read along. */
final class WireJobs implements InvocationHandler {

  private static final int SOON_NANOS = 5_000_000;
  private static final long FIRST_RESEND_NANOS = 200_000_000;

  private final Simulation simulation;
  private final Life process;
  private final JobStore jobs;
  private final Consumer<Runnable> hints;
  private @Nullable JobTurn open; // jobs may be claimed under its number

  private WireJobs(Simulation simulation, Life process, Consumer<Runnable> hints) {
    this.simulation = simulation;
    this.process = process;
    this.jobs = simulation.store().jobs();
    this.hints = hints;
  }

  static JobStore of(Simulation simulation, Life process, Consumer<Runnable> hints) {
    return (JobStore)
        Proxy.newProxyInstance(
            WireJobs.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            new WireJobs(simulation, process, hints));
  }

  @Override
  @SuppressWarnings("unchecked") // the types are those of the methods
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (arguments == null) {
      return withoutArguments(method);
    }
    switch (method.getName()) {
      case "turn" -> {
        return turn((JobTurn) arguments[0]);
      }
      case "whenReady" -> {
        ReadyListener listener = (ReadyListener) arguments[0];
        jobs.whenReady(news -> added(listener, news));
        return null;
      }
      case "whenEnded" -> {
        Consumer<Set<JobId>> listener = (Consumer<Set<JobId>>) arguments[0];
        jobs.whenEnded(news -> hints.accept(() -> listener.accept(news)));
        return null;
      }
      case "start" -> { // by handlers' threads, before they begin
        if (process.machine.requestsCut || simulation.isStoreDown()) {
          throw new StoreException("the connection broke");
        }
        Set<JobRun> begin =
            jobs.start(
                (ReplicaId) arguments[0], (List<JobRun>) arguments[1], (Instant) arguments[2]);
        simulation.jobs().startsRecorded(begin);
        if (process.machine.repliesCut) {
          throw new StoreException("the connection broke after the start was recorded");
        }
        return begin;
      }
      case "note" -> {
        if (process.machine.requestsCut || simulation.isStoreDown()) {
          throw new StoreException("the connection broke");
        }
        return passedOn(method, arguments);
      }
      default -> {
        return passedOn(method, arguments);
      }
    }
  }

  private @Nullable Object withoutArguments(Method method) throws Throwable {
    return switch (method.getName()) {
      case "isImmediate" -> false;
      case "rescue" -> simulation.jobs().rescued(jobs.rescue());
      default -> passedOn(method);
    };
  }

  /** Whoever adds jobs may give one of them away right then, whatever becomes of the news. */
  private void added(ReadyListener listener, Set<String> news) {
    if (simulation.plan().turnsAtOnce) {
      simulation.later(
          0,
          () -> {
            Given given = simulation.isStoreDown() ? null : given();
            if (given == null) {
              hints.accept(() -> tellSoon(listener, news, null));
            } else {
              deliver(listener, news, given, simulation.storeStarts(), FIRST_RESEND_NANOS);
            }
          });
    } else {
      hints.accept(() -> listener.ready(news));
    }
  }

  /**
   * A notice on a connection that is cut is not lost but late: TCP sends it again, after pauses
   * that double, until it arrives or the server has gone.
   */
  private void deliver(
      ReadyListener listener, Set<String> news, Given given, int storeStarts, long resendNanos) {
    if (simulation.isStoreDown() || simulation.storeStarts() != storeStarts) {
      return;
    }
    if (process.machine.repliesCut && process.threads.isAlive()) {
      simulation.later(
          resendNanos, () -> deliver(listener, news, given, storeStarts, 2 * resendNanos));
      return;
    }
    if (resendNanos > FIRST_RESEND_NANOS) {
      simulation.findings().see(Seen.LATE_NOTICES);
    }
    hints.accept(() -> tellSoon(listener, news, given));
  }

  /** A turn that was open, and what it gave to its replica before that knew of it. */
  private record Given(JobTurn turn, JobTurnReply reply) {}

  /** Claims a job for a replica whose turn is open; null if there is none. */
  private @Nullable Given given() {
    JobTurn turn = open;
    if (turn == null || !isLive(turn.replica())) {
      return null;
    }
    simulation.findings().see(Seen.JOBS_GIVEN);
    JobTurn one =
        new JobTurn(turn.replica(), turn.number(), List.of(), 1, turn.kinds(), turn.queues());
    return new Given(one, turn(one));
  }

  private boolean isLive(ReplicaId replica) {
    return simulation.store().replicas().live().stream()
        .anyMatch(info -> info.id().equals(replica));
  }

  /** By a thread of the store's, which can make a turn at once. */
  private void tellSoon(ReadyListener listener, Set<String> news, @Nullable Given given) {
    long soon = simulation.plan().random.nextInt(SOON_NANOS);
    simulation.later(process, soon, () -> listener.ready(news, turn -> turnAtOnce(turn, given)));
  }

  /**
   * Answers the turn that stands by. A notice of an earlier membership is believed here, which no
   * store of ours does: the worker itself must not begin jobs of a membership that it has lost.
   */
  private JobTurnReply turnAtOnce(JobTurn turn, @Nullable Given given) {
    if (given != null && !given.turn().replica().equals(turn.replica())) {
      simulation.findings().see(Seen.STALE_NOTICES);
      // The store has not heard of the turn that stands by: its number is not used.
      return new JobTurnReply(List.of(), given.reply().jobs(), false, Optional.empty(), false);
    }
    return given != null && given.turn().number() == turn.number()
        ? given.reply()
        : turnAtOnce(turn);
  }

  private JobTurnReply turnAtOnce(JobTurn turn) {
    simulation.findings().see(Seen.TURNS_AT_ONCE);
    SimulationPlan plan = simulation.plan();
    boolean cut = !simulation.isCalm() && plan.percent(plan.cutCommitPercent);
    if (process.machine.requestsCut || simulation.isStoreDown() || (cut && plan.one(2))) {
      throw new StoreException("the connection broke");
    }
    JobTurnReply reply = turn(turn);
    if (cut || process.machine.repliesCut) {
      throw new StoreException("the connection broke after the turn was made");
    }
    return reply;
  }

  private JobTurnReply turn(JobTurn turn) {
    JobTurnReply reply = jobs.turn(turn);
    simulation.jobs().turned(turn, reply);
    JobTurn before = open;
    if (turn.number() > 0 && (before == null || before.number() <= turn.number())) {
      open = turn.staysOpen() && !reply.used() ? turn : null;
    }
    return reply;
  }

  private @Nullable Object passedOn(Method method, Object... arguments) throws Throwable {
    try {
      return method.invoke(jobs, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
