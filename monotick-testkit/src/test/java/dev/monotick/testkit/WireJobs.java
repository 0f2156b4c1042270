package dev.monotick.testkit;

import dev.monotick.error.StoreException;
import dev.monotick.job.JobId;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.job.HandoffListener;
import dev.monotick.spi.job.JobHandoffStore;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobSignals;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
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

/**
 * The jobs as one process reaches them: all is passed on, claims and completions are read along.
 */
final class WireJobs implements InvocationHandler {

  private static final int SOON_NANOS = 5_000_000;
  private static final long FIRST_RESEND_NANOS = 200_000_000;

  private final Simulation simulation;
  private final Life process;
  private final JobStore jobs;
  private final Consumer<Runnable> hints;
  private @Nullable ClaimRequest offered; // a job may be claimed under its number
  private @Nullable ClaimRequest lastOffer;
  private @Nullable MemberId member; // that listens for jobs handed off
  private @Nullable HandoffListener listener;

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
      case "exchange" -> {
        return exchange((ExchangeRequest) arguments[0]);
      }
      case "complete" -> {
        return complete((List<Completion>) arguments[0]);
      }
      case "onReady" -> {
        JobSignals listener = (JobSignals) arguments[0];
        jobs.onReady(news -> added(listener, news));
        return null;
      }
      case "onEnded" -> {
        Consumer<Set<JobId>> listener = (Consumer<Set<JobId>>) arguments[0];
        jobs.onEnded(news -> hints.accept(() -> listener.accept(news)));
        return null;
      }
      case "start" -> { // by handlers' threads, before they begin
        if (process.machine.requestsCut || simulation.isStoreDown()) {
          throw new StoreException("the connection broke");
        }
        Set<JobRun> begin =
            jobs.start(
                (MemberId) arguments[0], (List<JobRun>) arguments[1], (Instant) arguments[2]);
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
      case "handoff" ->
          simulation.plan().canHandOff ? Optional.of(new Handoffs()) : Optional.empty();
      case "rescue" -> simulation.jobs().rescued(jobs.rescue());
      default -> passedOn(method);
    };
  }

  /** Whoever adds jobs may hand one of them off right then, whatever becomes of the news. */
  private void added(JobSignals listener, Set<String> news) {
    if (simulation.plan().handsOff) {
      simulation.later(
          0,
          () -> {
            Given given = simulation.isStoreDown() ? null : given();
            if (given == null) {
              hints.accept(() -> listener.ready(news));
            } else {
              deliver(given, simulation.storeStarts(), FIRST_RESEND_NANOS);
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
  private void deliver(Given given, int storeStarts, long resendNanos) {
    if (simulation.isStoreDown() || simulation.storeStarts() != storeStarts) {
      return;
    }
    if (process.machine.repliesCut && process.threads.isAlive()) {
      simulation.later(resendNanos, () -> deliver(given, storeStarts, 2 * resendNanos));
      return;
    }
    if (resendNanos > FIRST_RESEND_NANOS) {
      simulation.findings().see(Seen.LATE_NOTICES);
    }
    long soon = simulation.plan().random.nextInt(SOON_NANOS);
    hints.accept(() -> simulation.later(process, soon, () -> notice(given)));
  }

  /** What was claimed under an offer before the replica that made it knew of that. */
  private record Given(MemberId member, long number, List<ClaimedJob> jobs) {}

  /** Claims a job for a replica that left an offer; null if there is none. */
  private @Nullable Given given() {
    ClaimRequest offer = offered;
    if (offer == null || !isLive(offer.member())) {
      return null;
    }
    simulation.findings().see(Seen.JOBS_GIVEN);
    offered = null;
    ClaimReply reply =
        jobs.claim(
            new ClaimRequest(offer.member(), offer.number(), 1, offer.kinds(), offer.queues()));
    simulation.jobs().claimed(reply.jobs());
    return new Given(offer.member(), offer.number(), reply.jobs());
  }

  private boolean isLive(MemberId replica) {
    return simulation.store().replicas().live().stream()
        .anyMatch(info -> info.id().equals(replica));
  }

  /**
   * A notice arrives, on a thread of the store's. A notice of an earlier membership is believed
   * here, which no store of ours does: the worker itself must not begin jobs of a membership that
   * it has lost.
   */
  private void notice(Given given) {
    HandoffListener heard = listener;
    if (heard == null) {
      return;
    }
    if (given.member().equals(member)) {
      heard.handedOff(given.number(), () -> read(given));
      return;
    }
    ClaimRequest offer = lastOffer;
    if (offer != null && offer.member().equals(member)) {
      simulation.findings().see(Seen.STALE_NOTICES);
      // The store has not heard of the present offer: its number is not used.
      ClaimReply stale = new ClaimReply(given.jobs(), false, Optional.empty(), false);
      heard.handedOff(offer.number(), () -> Optional.of(stale));
    }
  }

  private Optional<ClaimReply> read(Given given) {
    simulation.findings().see(Seen.CLAIMS_READ);
    SimulationPlan plan = simulation.plan();
    boolean cut = !simulation.isCalm() && plan.percent(plan.cutCommitPercent);
    if (process.machine.requestsCut
        || process.machine.repliesCut
        || simulation.isStoreDown()
        || cut) {
      throw new StoreException("the connection broke");
    }
    ClaimReply claim = claimed(given.member(), given.number());
    return claim.used() ? Optional.of(claim) : Optional.empty();
  }

  /** Returns what a number has; a request for no kinds claims nothing. */
  private ClaimReply claimed(MemberId as, long number) {
    ClaimReply reply = jobs.claim(new ClaimRequest(as, number, 1, Set.of(), Set.of()));
    simulation.jobs().claimed(reply.jobs());
    return reply;
  }

  private ExchangeReply exchange(ExchangeRequest request) {
    ExchangeReply reply = jobs.exchange(request);
    simulation.jobs().completed(request.completions(), reply.completed());
    simulation.jobs().claimed(reply.claim().jobs());
    ClaimRequest before = offered;
    boolean isOfPresentMember = request.claim().member().equals(member);
    boolean isLate = before != null && before.number() > request.claim().number();
    if (isOfPresentMember && !isLate) {
      offered = request.offers() && !reply.claim().used() ? request.claim() : null;
      lastOffer = offered == null ? lastOffer : offered;
    }
    return reply;
  }

  private List<Boolean> complete(List<Completion> completions) {
    List<Boolean> recorded = jobs.complete(completions);
    simulation.jobs().completed(completions, recorded);
    return recorded;
  }

  /** Hands off jobs to this process, as {@link #added} has it. */
  private final class Handoffs implements JobHandoffStore {

    @Override
    public void open(MemberId as, HandoffListener heard) {
      member = as;
      listener = heard;
      offered = null;
    }

    @Override
    public ClaimReply withdraw(MemberId as, long number) {
      offered = null;
      return claimed(as, number);
    }

    @Override
    public void close(MemberId as) {}
  }

  private @Nullable Object passedOn(Method method, Object... arguments) throws Throwable {
    try {
      return method.invoke(jobs, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
