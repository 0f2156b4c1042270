package dev.monotick;

import dev.monotick.engine.EngineConfig;
import dev.monotick.engine.EngineLoop;
import dev.monotick.engine.ReplicaSettings;
import dev.monotick.engine.Resignation;
import dev.monotick.engine.StopSequence;
import dev.monotick.engine.TaskStatusView;
import dev.monotick.engine.base.OnFirstUse;
import dev.monotick.engine.leader.Elector;
import dev.monotick.engine.observe.EngineTelemetry;
import dev.monotick.engine.observe.EventListeners;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.tick.TaskLoop;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.event.EventListener;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import dev.monotick.job.Jobs;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine as its callers see it: checks what they say and hands it to the loop. */
final class ReplicaEngine implements Monotick {

  private static final Logger log = LoggerFactory.getLogger(ReplicaEngine.class);

  private static final int LONGEST_HISTORY = 1000;

  private final EngineConfig config;
  private final ReplicaSettings settings;
  private final EngineThreads threads;
  private final EventListeners listeners;
  private final EngineLoop loop;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Set<String> groups = new HashSet<>(); // leadership groups; guarded by itself
  private final Object lifecycle = new Object();
  private Phase phase = Phase.NEW; // guarded by lifecycle
  private final CompletableFuture<StopSequence.StillRunning> stopped = new CompletableFuture<>();

  /** Whoever waits for the loop; what the loop cannot answer any more is answered by the stop. */
  private final Map<Object, CompletableFuture<?>> waiting = new ConcurrentHashMap<>();

  private final Supplier<Jobs> jobs;

  private volatile boolean closed;

  private enum Phase {
    NEW,
    STARTED,
    STOPPED
  }

  /** Creates an engine that has not started. */
  ReplicaEngine(EngineConfig config) {
    this.config = config;
    this.settings = config.settings();
    this.threads = config.threads();
    this.listeners = new EventListeners(threads);
    this.loop = new EngineLoop(config, new EngineTelemetry(config.metrics(), listeners));
    this.jobs = new OnFirstUse<>(() -> Monotick.jobs(config.store(), config.work().codec()));
  }

  @Override
  public UUID replicaId() {
    return loop.context().replica().value();
  }

  @Override
  public String replicaName() {
    return settings.replicaName();
  }

  @Override
  public void register(Task task) {
    register(List.of(task));
  }

  /**
   * Adds tasks, as {@link #register(Task)} does. What all of them need together is checked first.
   */
  public void register(List<Task> tasks) {
    List<Task> specs = tasks.stream().map(task -> overridden(Task.like(task).run(task))).toList();
    specs.forEach(this::checkEffect);
    synchronized (groups) {
      checkGroups(specs);
      for (Task spec : specs) {
        add(spec);
        if (isElected(spec)) {
          groups.add(spec.group());
        }
      }
    }
  }

  private void add(Task spec) {
    synchronized (lifecycle) {
      if (phase == Phase.STOPPED) {
        throw new IllegalStateException(
            "task " + spec.name() + " cannot be registered, the engine is stopped; build another");
      }
      if (!names.add(spec.name())) {
        throw new IllegalArgumentException(
            "task name \"" + spec.name() + "\" is taken; names are unique, choose another");
      }
      threads.execute(() -> loop.add(spec));
    }
  }

  /** Asks the election before there are more groups. It may have to ask the store. */
  private void checkGroups(List<Task> specs) {
    Set<String> all = new HashSet<>(groups);
    specs.stream().filter(this::isElected).map(Task::group).forEach(all::add);
    if (all.size() > groups.size()) {
      config.election().checkCapacity(all.size());
    }
  }

  private boolean isElected(Task spec) {
    return spec.mode() == HaMode.LEADER
        && settings.leadership() == LeadershipMode.ELECTED
        && !settings.leaderTasksEverywhere();
  }

  @Override
  public <P> void handle(JobKind<P> kind, JobHandler<P> handler) {
    checkJobs(kind);
    config.work().handlers().add(kind, handler);
    threads.execute(loop::handlersChanged);
  }

  private void checkJobs(JobKind<?> kind) {
    if (kind.rules().effect() == Effect.TRANSACTIONAL
        && !config.store().ledger().effects().contains(Effect.TRANSACTIONAL)) {
      throw new IllegalArgumentException(
          "kind "
              + kind.name()
              + ": effect TRANSACTIONAL cannot be kept by this store, which is no database; choose"
              + " another effect or another store");
    }
  }

  @Override
  public Jobs jobs() {
    return jobs.get();
  }

  private Task overridden(Task spec) {
    String key = ReplicaSettings.taskKey(spec.name());
    Duration interval = settings.taskIntervals().get(key);
    Duration timeout = settings.taskTimeouts().get(key);
    Task result = spec;
    if (interval != null) {
      Task before = result;
      result = bySetting(key, "INTERVAL", () -> Task.like(before).every(interval).run(before));
    }
    if (timeout != null) {
      Task before = result;
      result = bySetting(key, "TIMEOUT", () -> Task.like(before).timeout(timeout).run(before));
    }
    return result;
  }

  /** A refusal names the variable that the operator typed. */
  private static Task bySetting(String key, String what, Supplier<Task> change) {
    try {
      return change.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "MONOTICK_TASK_" + key + "_" + what + " cannot be used: " + e.getMessage(), e);
    }
  }

  private void checkEffect(Task spec) {
    Set<Effect> possible = config.store().ledger().effects();
    if (spec.mode().isExclusive() && !possible.contains(spec.effect())) {
      throw new IllegalArgumentException(
          "task "
              + spec.name()
              + ": effect "
              + spec.effect()
              + " cannot be kept by this store, which knows "
              + possible
              + "; choose one of these or another store");
    }
  }

  @Override
  public void start() {
    CompletableFuture<Boolean> first = new CompletableFuture<>();
    synchronized (lifecycle) {
      if (phase == Phase.STARTED) {
        return;
      }
      if (phase == Phase.STOPPED) {
        throw new IllegalStateException("the engine was stopped; build another one");
      }
      settings.requireKnownTasks(names);
      phase = Phase.STARTED;
    }
    threads.execute(
        () ->
            loop.start(
                result -> {
                  if (!result.isValue() && result.failure() instanceof JoinRefusedException e) {
                    first.completeExceptionally(e);
                  } else {
                    first.complete(true);
                  }
                }));
    try {
      await(first);
    } catch (JoinRefusedException e) {
      stop(Duration.ZERO);
      throw e;
    }
  }

  @Override
  public StopReport stop(Duration gracePeriod) {
    if (gracePeriod.isNegative()) {
      throw new IllegalArgumentException(
          "gracePeriod must not be negative, but was " + gracePeriod + "; use PT0S for none");
    }
    boolean first;
    synchronized (lifecycle) {
      first = phase != Phase.STOPPED;
      phase = Phase.STOPPED;
    }
    if (first) {
      log.info("stopping replica={} grace={}", replicaName(), gracePeriod);
      threads.execute(() -> new StopSequence(loop, stopped).begin(gracePeriod));
    }
    StopSequence.StillRunning still = threads.await(stopped);
    StopReport report = new StopReport(still.ticks(), still.jobs());
    if (first) {
      threads.close();
      closed = true;
      waiting.values().forEach(ReplicaEngine::refuse);
      log.info("stopped replica={} clean={}", replicaName(), report.isClean());
    }
    return report;
  }

  @Override
  public List<TaskStatus> tasks() {
    return onLoop(
        () ->
            loop.loops().stream()
                .map(task -> TaskStatusView.of(task, loop.differences()))
                .sorted(Comparator.comparing(TaskStatus::name))
                .toList());
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    if (limit < 1 || limit > LONGEST_HISTORY) {
      throw new IllegalArgumentException(
          "limit must be from 1 to 1000, but was " + limit + "; ask for fewer rows");
    }
    return known(task).ledger().ledger().history(task, limit);
  }

  @Override
  public TickId trigger(String task) {
    return trigger(task, UUID.randomUUID().toString());
  }

  @Override
  public TickId trigger(String task, String key) {
    if (key.isBlank() || key.length() > 200) {
      throw new IllegalArgumentException(
          "trigger key must be 1 to 200 characters, but was \"" + key + "\"; shorten it");
    }
    TaskLoop known = startedAndKnown(task);
    TickLedger ledger = known.ledger().ledger();
    TickId tick = TickId.triggered(task, ledger.now(), key);
    boolean added = ledger.trigger(tick);
    threads.execute(() -> loop.rescueSoon(known.ledger()));
    return added ? tick : earlier(ledger, tick);
  }

  /** Returns the tick that was triggered under this key before, if the ledger still has it. */
  private static TickId earlier(TickLedger ledger, TickId wanted) {
    return ledger.history(wanted.task(), LONGEST_HISTORY).stream()
        .map(TickRecord::tick)
        .filter(other -> wanted.idempotencyKey().equals(other.idempotencyKey()))
        .findFirst()
        .orElse(wanted);
  }

  @Override
  public void pause(String task, String by, String note) {
    TaskLoop known = startedAndKnown(task);
    TickLedger ledger = known.ledger().ledger();
    ledger.pause(task, new SeriesPause(by, note, ledger.now()));
    threads.execute(
        () -> {
          loop.telemetry().paused(task, by, note);
          known.refresh();
        });
  }

  @Override
  public void resume(String task) {
    TaskLoop known = known(task);
    TickLedger ledger = known.ledger().ledger();
    Optional<SeriesState> resumed;
    List<TickRecord.Range> gaps;
    do { // somebody may fire or fail in between; then the gaps are others
      List<SeriesState> found = ledger.states(List.of(task));
      if (found.isEmpty()) {
        return; // not even registered there: nothing is paused
      }
      SeriesState seen = found.get(0);
      if (!known.planner().isPaused(seen)) {
        return;
      }
      gaps = known.planner().pausedRanges(seen, ledger.now());
      resumed = ledger.resume(seen, gaps);
    } while (resumed.isEmpty());
    List<TickRecord.Range> accounted = gaps;
    threads.execute(
        () -> {
          known.counters().notRun(accounted);
          loop.telemetry().notRun(task, accounted);
          loop.telemetry().resumed(task);
          known.refresh();
        });
  }

  @Override
  public List<ReplicaInfo> replicas() {
    return config.store().replicas().live().stream().map(ReplicaEngine::shown).toList();
  }

  private static ReplicaInfo shown(MemberInfo replica) {
    return new ReplicaInfo(
        replica.id().value(),
        replica.name(),
        replica.startedAt(),
        replica.tasks(),
        replica.config().tzdb(),
        replica.config().kinds());
  }

  @Override
  public Optional<LeaderTerm> leadership(String group) {
    return onLoop(
        () -> Optional.<LeaderTerm>ofNullable(loop.term(group)).filter(LeaderTerm::isValid));
  }

  @Override
  public void resign(String group) {
    threads.execute(
        () -> {
          Elector elector = loop.electors().get(group);
          if (elector != null) {
            new Resignation(elector, loop).begin();
          }
        });
  }

  @Override
  public EventListener.Subscription subscribe(EventListener listener) {
    return listeners.add(listener);
  }

  @Override
  public EventListener.Subscription subscribe(LeadershipListener listener) {
    return listeners.add(listener);
  }

  /** Returns a task that the ledger knows too, though it may have been registered just now. */
  private TaskLoop startedAndKnown(String task) {
    TaskLoop found = known(task);
    synchronized (lifecycle) {
      if (phase == Phase.NEW) {
        throw new IllegalStateException(
            "task " + task + " cannot be asked for, the engine has not started; call start()");
      }
    }
    // The loop's own registration may be on its way; the same one twice is one.
    Optional<SeriesRegistration> missing =
        onLoop(
            () -> found.state() == null ? Optional.of(loop.registration(found)) : Optional.empty());
    missing.ifPresent(registration -> found.ledger().ledger().register(List.of(registration)));
    return found;
  }

  private TaskLoop known(String task) {
    TaskLoop found = names.contains(task) ? onLoop(() -> loopOrThrow(task)) : null;
    if (found == null) {
      throw new IllegalArgumentException(
          "no task is named \"" + task + "\"" + ReplicaSettings.suggestion(task, names));
    }
    return found;
  }

  private TaskLoop loopOrThrow(String task) {
    TaskLoop found = loop.loop(task);
    if (found == null) {
      throw new IllegalStateException("task " + task + " is registered but has no loop");
    }
    return found;
  }

  private <T> T onLoop(Supplier<T> question) {
    synchronized (lifecycle) {
      if (phase == Phase.STOPPED && stopped.isDone()) {
        throw new IllegalStateException("the engine is stopped; build another one");
      }
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    threads.execute(
        () -> {
          try {
            answer.complete(question.get());
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return await(answer);
  }

  private <T> T await(CompletableFuture<T> answer) {
    Object turn = new Object();
    waiting.put(turn, answer);
    try {
      if (closed) { // either this sees that it is closed, or the stop sees that this waits
        refuse(answer);
      }
      return threads.await(answer);
    } finally {
      waiting.remove(turn);
    }
  }

  private static void refuse(CompletableFuture<?> answer) {
    answer.completeExceptionally(
        new IllegalStateException("the engine is stopped; build another one"));
  }
}
