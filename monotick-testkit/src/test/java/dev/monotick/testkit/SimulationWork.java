package dev.monotick.testkit;

import dev.monotick.Monotick;
import dev.monotick.error.FencedException;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.task.Task;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.Machine.Life;
import dev.monotick.testkit.SimulationPlan.TaskPlan;
import dev.monotick.tick.TickId;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import dev.monotick.work.RetryPolicy;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What the simulated service does: bodies, handlers, and somebody who adds and decides. */
final class SimulationWork {

  private static final DataSource DATABASE =
      (DataSource)
          Proxy.newProxyInstance(
              SimulationWork.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  /** What bodies and handlers fail with now and then; without a stack, which would cost most. */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure() {
      super("now and then", null, false, false);
    }
  }

  private static final int DEEPEST = 5;
  private static final RetryPolicy SOON = RetryPolicy.fixed(Duration.ofMillis(250));

  static final List<JobKind<String>> KINDS =
      List.of(
          JobKind.named("retried", String.class).maxAttempts(3).retry(SOON),
          JobKind.named("once", String.class).effect(Effect.AT_MOST_ONCE).maxAttempts(1),
          JobKind.named("limited", String.class).maxAttempts(2).retry(SOON),
          JobKind.named("unique", String.class).maxAttempts(2).retry(SOON));

  private final Simulation simulation;
  private final SimulationPlan plan;
  private final Findings findings;
  private final Jobs jobs;
  private int depth;
  private int triggers;

  SimulationWork(Simulation simulation) {
    this.simulation = simulation;
    this.plan = simulation.plan();
    this.findings = simulation.findings();
    this.jobs = Monotick.jobs(simulation.store());
    if (plan.jobs) {
      jobs.limit(
          new JobLimit(
              new JobLimit.Scope("limited", "", plan.limitPerKey),
              Optional.of(plan.limit),
              Optional.empty()));
    }
  }

  Task task(Life process, TaskPlan task) {
    return Task.named(task.name())
        .every(task.period())
        .mode(task.mode())
        .effect(task.effect())
        .overlap(task.overlap())
        .catchUp(catchUp(task))
        .backoff(new Backoff(Duration.ofMillis(200), Duration.ofSeconds(1)))
        .timeout(Duration.ofMillis(2_500))
        .run(context -> body(process, task, context));
  }

  private CatchUp catchUp(TaskPlan task) {
    boolean all = plan.catchUpAll && task.overlap() != Overlap.CANCEL_PREVIOUS;
    return all ? CatchUp.all(100) : CatchUp.ofDefaults();
  }

  private void body(Life process, TaskPlan task, TaskContext context) throws Exception {
    TickChecks.Running body = simulation.ticks().started(process, task, context);
    depth++;
    try {
      simulation.adversary().strikeHere(process, Seen.AT_AFTER_GUARD);
      pass(process, context::sleep, task.longPercent());
      effect(process, task, context);
      simulation.adversary().strikeHere(process, Seen.AT_AFTER_EFFECT);
      if (plan.one(12) && !simulation.isCalm()) {
        throw new Failure();
      }
    } finally {
      depth--;
      simulation.ticks().ended(body);
    }
  }

  private void effect(Life process, TaskPlan task, TaskContext context) throws SQLException {
    if (task.effect() == Effect.TRANSACTIONAL && task.mode().isExclusive()) {
      try {
        context.fencedTransaction(DATABASE, connection -> {});
      } catch (FencedException e) {
        findings.see(Seen.TRANSACTIONS_FENCED);
        throw e;
      }
    } else {
      simulation.ticks().effect(context.tick(), context.fence().orElse(null));
    }
    process.threads.requireAlive();
  }

  private interface Sleep {
    void sleep(Duration duration) throws InterruptedException;
  }

  /** Lets time pass, or not; some code does not care that it is interrupted. */
  private void pass(Life process, Sleep sleep, int longPercent) throws InterruptedException {
    if (simulation.isCalm() || depth > DEEPEST || !plan.percent(longPercent + 15)) {
      return;
    }
    boolean obeys = plan.random.nextInt(4) > 0;
    long longest = plan.percent(longPercent) ? 3_000 : 300;
    try {
      sleep.sleep(Duration.ofMillis(1 + plan.random.nextLong(longest)));
    } catch (InterruptedException e) {
      simulation.adversary().awaitThaw(process);
      if (obeys) {
        throw e;
      }
    }
    simulation.adversary().awaitThaw(process);
  }

  JobHandler<String> handler(Life process, JobKind<String> kind) {
    return context -> handle(process, kind, context);
  }

  private JobOutcome handle(Life process, JobKind<String> kind, JobContext<String> context)
      throws InterruptedException {
    process.threads.requireAlive(); // a slot goes from job to job, also that of a killed replica
    boolean frozen = process.threads.isFrozen(); // since the engine looked whether it may begin
    simulation.adversary().awaitThaw(process);
    JobChecks.Running handler =
        simulation.jobs().started(process, context, kind.rules().effect(), frozen);
    depth++;
    try {
      simulation.adversary().strikeHere(process, Seen.AT_AFTER_GUARD);
      pass(process, context::sleep, 25);
      simulation.adversary().strikeHere(process, Seen.AT_AFTER_EFFECT);
      boolean plain = simulation.isCalm() || kind.rules().effect() == Effect.AT_MOST_ONCE;
      return switch (plain ? 0 : plan.random.nextInt(10)) {
        case 1 -> throw new Failure();
        case 2 -> JobOutcome.snooze(Duration.ofMillis(200));
        case 3 -> JobOutcome.retryAfter(Duration.ofMillis(100), "later");
        default -> JobOutcome.done();
      };
    } finally {
      depth--;
      simulation.jobs().ended(handler);
    }
  }

  // What somebody does from outside, whose own connection may break as well.

  void act() {
    if (simulation.isStoreDown()) {
      return;
    }
    int choice = plan.random.nextInt(10);
    if (plan.jobs && choice < 6) {
      add();
    } else if (plan.jobs && choice == 6) {
      decide(this::cancel);
    } else if (plan.jobs && choice == 7) {
      decide(this::requeue);
    } else if (plan.edits && choice == 8) {
      trigger();
    } else if (plan.edits) {
      pauseOrResume();
    }
  }

  private void add() {
    int count = 1 + plan.random.nextInt(3);
    for (int i = 0; i < count; i++) {
      JobKind<String> kind = KINDS.get(plan.random.nextInt(KINDS.size()));
      String name = "k" + plan.random.nextInt(2);
      JobRequest<String> request = kind.of(name);
      String key = kind.name().equals("unique") ? name : null;
      request = key == null ? request.limitKey(name) : request.uniqueKey(key);
      add(plan.one(4) ? request.delay(Duration.ofMillis(500)) : request, key);
    }
  }

  private void add(JobRequest<?> request, @Nullable String key) {
    Enqueued reply = jobs.enqueue(request);
    simulation.jobs().added(reply, key);
    if (!plan.percent(plan.cutCommitPercent)) { // else nobody was told
      simulation.jobs().acknowledged(reply.id());
    }
  }

  private void decide(java.util.function.Consumer<JobId> decision) {
    List<JobId> known = simulation.jobs().known();
    if (!known.isEmpty()) {
      decision.accept(known.get(plan.random.nextInt(known.size())));
    }
  }

  private void cancel(JobId id) {
    if (jobs.cancel(id, "somebody", "no longer wanted")) {
      simulation.jobs().cancelled(id);
    }
  }

  private void requeue(JobId id) {
    if (!jobs.requeue(List.of(id), "somebody").isEmpty()) {
      simulation.jobs().requeued(id);
    }
  }

  private void trigger() {
    TaskPlan task = anyExclusive();
    if (task != null) {
      ledger().trigger(TickId.triggered(task.name(), simulation.now(), "key-" + triggers++));
    }
  }

  private void pauseOrResume() {
    TaskPlan task = anyExclusive();
    if (task == null) {
      return;
    }
    if (simulation.ticks().isPaused(task.name())) {
      resume(task.name());
    } else {
      findings.fault(Seen.PAUSED_TASKS, task.name());
      ledger().pause(task.name(), new SeriesPause("somebody", "", simulation.now()));
      simulation.ticks().paused(task.name(), true);
    }
  }

  private void resume(String task) {
    Machine machine = simulation.anyWell();
    Life process = machine == null ? null : machine.process;
    if (depth <= DEEPEST && process != null && process.engine != null) {
      simulation.ticks().paused(task, false);
      try {
        process.engine.resume(task);
      } catch (ReplicaKilled e) {
        // whoever asked has nobody left to answer; the next one asks again
        simulation.ticks().paused(task, ledger().states(List.of(task)).get(0).pause() != null);
      }
    }
  }

  /** Has all tasks go on. */
  void resumeAll() {
    for (TaskPlan task : plan.tasks) {
      if (simulation.ticks().isPaused(task.name())) {
        resume(task.name());
      }
    }
  }

  private @Nullable TaskPlan anyExclusive() {
    TaskPlan task = plan.tasks.get(plan.random.nextInt(plan.tasks.size()));
    boolean known = task.mode().isExclusive() && !ledger().states(List.of(task.name())).isEmpty();
    return known ? task : null;
  }

  private TickLedger ledger() {
    return simulation.store().ledger();
  }

  int depth() {
    return depth;
  }
}
