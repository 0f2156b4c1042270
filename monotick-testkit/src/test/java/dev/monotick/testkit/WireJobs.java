package dev.monotick.testkit;

import dev.monotick.job.JobId;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The jobs as one process reaches them: all is passed on, turns are read along. */
final class WireJobs implements InvocationHandler {

  private final Simulation simulation;
  private final JobStore jobs;
  private final Consumer<Runnable> hints;

  private WireJobs(Simulation simulation, Consumer<Runnable> hints) {
    this.simulation = simulation;
    this.jobs = simulation.store().jobs();
    this.hints = hints;
  }

  static JobStore of(Simulation simulation, Consumer<Runnable> hints) {
    return (JobStore)
        Proxy.newProxyInstance(
            WireJobs.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            new WireJobs(simulation, hints));
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
        Consumer<Set<String>> listener = (Consumer<Set<String>>) arguments[0];
        jobs.whenReady(news -> hints.accept(() -> listener.accept(news)));
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
