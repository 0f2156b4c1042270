package dev.monotick.testkit;

import dev.monotick.job.JobId;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.store.StoreException;
import dev.monotick.testkit.Machine.Life;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The jobs as one process reaches them: all is passed on, turns are read along. */
final class WireJobs implements InvocationHandler {

  private static final int SOON_NANOS = 5_000_000;

  private final Simulation simulation;
  private final Life process;
  private final JobStore jobs;
  private final Consumer<Runnable> hints;

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
  @SuppressWarnings("unchecked") // the listeners' types are those of the methods
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
        jobs.whenReady(news -> hints.accept(() -> tell(listener, news)));
        return null;
      }
      case "whenEnded" -> {
        Consumer<Set<JobId>> listener = (Consumer<Set<JobId>>) arguments[0];
        jobs.whenEnded(news -> hints.accept(() -> listener.accept(news)));
        return null;
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

  /** In some runs by a thread of the store's, which can make a turn at once. */
  private void tell(ReadyListener listener, Set<String> news) {
    SimulationPlan plan = simulation.plan();
    if (plan.turnsAtOnce) {
      long soon = plan.random.nextInt(SOON_NANOS);
      simulation.later(process, soon, () -> listener.ready(news, this::turnAtOnce));
    } else {
      listener.ready(news);
    }
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
