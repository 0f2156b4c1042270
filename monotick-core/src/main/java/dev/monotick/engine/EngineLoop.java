package dev.monotick.engine;

import dev.monotick.Leadership;
import dev.monotick.leader.LeaderElection;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.JoinRefusedException;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.task.HaMode;
import dev.monotick.task.TaskSpec;
import dev.monotick.thread.Result;
import dev.monotick.time.TimeSource;
import dev.monotick.worker.JobWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine as its loop sees it: tasks, leadership, membership and the bodies that run. Every
 * method is called on the loop.
 */
final class EngineLoop implements TaskHost, Membership.Owner, Elector.Owner {

  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  /** A clock that moved this much more or less than the ticker was set. */
  private static final Duration CLOCK_JUMP = Duration.ofMillis(20);

  private final EngineConfig config;
  private final EngineContext context;
  private final Telemetry telemetry;
  private final Bodies bodies;
  private final DueQueue dueQueue;
  private final LedgerClient shared;
  private final LedgerClient local;
  private final Membership membership;
  private final LeaderElection election;
  private final Map<String, TaskLoop> loops = new LinkedHashMap<>();
  private final Map<String, Elector> electors = new TreeMap<>();
  private final Set<TaskLoop> lookAgain = new LinkedHashSet<>();
  private final OwnConfig ownConfig;
  private final ReplicaDifferences differences;
  private final UnhandledJobs unhandledJobs;
  private final Instant startedAt;
  private @Nullable JobWorker worker;
  private boolean running;
  private boolean joinedOnce;
  private @Nullable Set<String> sharedNames;
  private Instant lastClock;
  private long lastTicker;

  EngineLoop(EngineConfig config, Telemetry telemetry) {
    this.config = config;
    this.telemetry = telemetry;
    this.context =
        new EngineContext(
            new Identity(config.replica()),
            config.settings().replicaName(),
            config.threads(),
            config.time());
    this.bodies = new Bodies(context, this::now, telemetry);
    this.dueQueue = new DueQueue(config.threads(), this::now);
    this.shared = new LedgerClient(config.store().ledger(), context);
    this.local = new LedgerClient(localLedger(config), ofThisProcess(context));
    shared.whenReportsRefused(count -> telemetry.reportsRefused(count, now()));
    this.startedAt = config.store().ledger().now();
    this.lastClock = startedAt;
    this.lastTicker = config.time().nanos();
    this.ownConfig = new OwnConfig(config.work().handlers()::kinds, loops::values);
    this.differences = new ReplicaDifferences(context::replica);
    this.unhandledJobs =
        new UnhandledJobs(context, () -> config.store().jobs().counts(), telemetry);
    boolean alone = config.settings().leadership() == Leadership.SINGLE_REPLICA;
    this.election = alone ? new AloneElection(config.store()) : config.election();
    this.membership = new Membership(config.store().replicas(), context, this::self, alone, this);
  }

  /**
   * Returns a context whose id stays the same: what a replica has for itself outlives memberships.
   */
  private static EngineContext ofThisProcess(EngineContext context) {
    return new EngineContext(
        new Identity(context.replica()), context.replicaName(), context.threads(), context.time());
  }

  /** Ticks that every replica has for itself need no agreement: their ledger is its own. */
  private static Ledger localLedger(EngineConfig config) {
    TimeSource time = new TimeSource(() -> config.store().ledger().now(), config.time().ticker());
    return InMemoryStore.builder().time(time).historyPerTask(10).build().ledger();
  }

  /** Starts; {@code first} gets the result of the first try to join. */
  void start(Consumer<Result<Boolean>> first) {
    running = true;
    config.threads().watch(this::watch, this::needsWatch);
    shared.ledger().whenWaiting(() -> config.threads().execute(() -> rescueSoon(shared)));
    loops.values().stream().filter(loop -> loop.ledger() == local).forEach(this::makeKnown);
    workIfNeeded();
    membership.start(first);
  }

  /** Tells the others of a new handler. */
  void handlersChanged() {
    ownConfig.changed();
    workIfNeeded();
    if (running && joinedOnce) {
      membership.update();
    }
  }

  /** Runs jobs from now on, if there is a handler for any. */
  void workIfNeeded() {
    JobWork work = config.work();
    if (!running || worker != null || work.handlers().isEmpty()) {
      return;
    }
    JobWorker begun = work.worker(config, telemetry, membership::isHeldBy);
    worker = begun;
    begun.start();
    if (membership.isValid()) {
      begun.joined(context.replica());
    }
  }

  @Nullable JobWorker worker() {
    return worker;
  }

  void add(TaskSpec spec) {
    HaMode mode = spec.mode();
    if (mode == HaMode.LEADER && config.settings().leaderTasksEverywhere()) {
      mode = HaMode.EVERY_REPLICA;
    }
    TaskLoop loop = new TaskLoop(spec, mode, mode.isExclusive() ? shared : local, this);
    loops.put(spec.name(), loop);
    sharedNames = null;
    ownConfig.changed();
    telemetry.registered(spec.name());
    if (running && loop.ledger() == local) {
      membership.update();
      makeKnown(loop);
    } else if (running && joinedOnce) {
      membership.update();
      makeKnown(loop);
      elect(loop);
    }
  }

  private void makeKnown(TaskLoop loop) {
    Instant atStart = tickAtStart(loop.spec());
    loop.ledger().register(registration(loop), state -> loop.registered(state, atStart));
  }

  /** Returns what the ledger is told of a task that begins now. */
  TaskRegistration registration(TaskLoop loop) {
    TaskSpec spec = loop.spec();
    Instant atStart = tickAtStart(spec);
    Instant begin = atStart == null ? now() : atStart.minusMillis(1);
    return new TaskRegistration(spec.name(), spec.schedule().toString(), begin);
  }

  private @Nullable Instant tickAtStart(TaskSpec spec) {
    return spec.runAtStart() ? spec.schedule().previous(now().plusNanos(1)).orElse(null) : null;
  }

  private void elect(TaskLoop loop) {
    if (!running || loop.mode() != HaMode.LEADER || electors.containsKey(loop.spec().group())) {
      return;
    }
    String group = loop.spec().group();
    LeaseTiming configured = config.settings().leaseTiming();
    LeaseTiming timing = configured == null ? election.defaultTiming() : configured;
    Elector elector = new Elector(group, election, timing, context, this);
    electors.put(group, elector);
    elector.start();
  }

  private ReplicaInfo self() {
    Set<String> names = sharedNames;
    if (names == null) {
      names =
          Set.copyOf(
              loops.values().stream()
                  .filter(loop -> loop.ledger() == shared)
                  .map(loop -> loop.spec().name())
                  .toList());
      sharedNames = names;
    }
    return new ReplicaInfo(
        context.replica(), context.replicaName(), startedAt, names, ownConfig.get());
  }

  /** Leases end and clocks are set; where there is neither a task nor a job, nobody cares. */
  private boolean needsWatch() {
    return !loops.isEmpty() || (worker != null && worker.isBusy());
  }

  private void watch() {
    membership.watch();
    JobWorker jobs = worker;
    if (jobs != null) {
      jobs.watch();
    }
    for (Elector elector : electors.values()) {
      elector.watch();
    }
    Instant clock = now();
    long ticker = config.time().nanos();
    Duration drift = Duration.between(lastClock, clock).minusNanos(ticker - lastTicker).abs();
    lastClock = clock;
    lastTicker = ticker;
    if (running && drift.compareTo(CLOCK_JUMP) > 0) {
      dueQueue.clockMayHaveJumped();
    }
  }

  @Override
  public void joined() {
    for (TaskLoop loop : List.copyOf(loops.values())) {
      if (loop.ledger() == shared) {
        if (loop.state() == null) {
          makeKnown(loop);
        } else {
          loop.refresh();
        }
        elect(loop);
      }
    }
    joinedOnce = true;
    rescueSoon(shared);
    if (worker != null && running) {
      worker.joined(context.replica());
    }
  }

  @Override
  public void beaten() {
    rescueSoon(shared);
    if (worker != null) {
      worker.beaten(
          membership.live().stream().map(ReplicaInfo::id).collect(Collectors.toUnmodifiableSet()));
    }
    compareReplicas();
    unhandledJobs.lookNowAndThen(this::live);
    List<TaskLoop> waiting = List.copyOf(lookAgain);
    lookAgain.clear();
    waiting.forEach(TaskLoop::refresh);
  }

  private void compareReplicas() {
    for (String task : differences.look(membership.live())) {
      TaskLoop loop = loops.get(task);
      if (loop != null) {
        loop.refresh();
      }
    }
  }

  ReplicaDifferences differences() {
    return differences;
  }

  @Override
  public ReplicaDifferences.@Nullable Winner winner(String task) {
    return differences.winner(task);
  }

  @Override
  public void membershipLost(LossCause cause) {
    bodies.cancel(run -> run.loop().ledger() == shared, CancelReason.MEMBERSHIP_LOST);
    // A replica that is no member starts nothing, so it should not keep others from leading. It
    // seeks leadership again when it is back, under its new id.
    electors.values().forEach(elector -> elector.close(cause));
    electors.clear();
    if (worker != null) {
      worker.membershipLost();
    }
  }

  @Override
  public void refused(JoinRefusedException refusal) {
    if (joinedOnce) {
      log.error("this replica may not come back, nothing runs here any more", refusal);
    }
    running = false;
    dueQueue.clear();
    electors.values().forEach(Elector::close);
  }

  @Override
  public void gained(Term term) {
    telemetry.gained(term);
    for (TaskLoop loop : List.copyOf(loops.values())) {
      if (term.group().equals(loop.leadingGroup())) {
        loop.refresh();
      }
    }
    rescueSoon(shared);
  }

  @Override
  public void revoked(Term term) {
    bodies.cancel(run -> run.claimed().term() == term, CancelReason.LEADERSHIP_LOST);
  }

  @Override
  public void lost(Term term, LossCause cause) {
    telemetry.lost(term, cause);
  }

  @Override
  public void fenced(Term term) {
    Elector elector = electors.get(term.group());
    if (elector != null) {
      elector.fenced(term);
    }
  }

  @Override
  public void rescueSoon(LedgerClient ledger) {
    if (running) {
      ledger.rescue(() -> namesOf(ledger), this::rescued);
    }
  }

  private Collection<String> namesOf(LedgerClient ledger) {
    if (ledger == shared) {
      return self().tasks();
    }
    return List.copyOf(loops.keySet()); // rare: only what waits on this replica alone
  }

  private void rescued(Rescue rescue) {
    for (TickRecord row : rescue.settled()) {
      telemetry.settled(row);
      TaskLoop loop = loops.get(row.tick().task());
      if (loop != null) {
        loop.refresh(); // its task is free again
      }
    }
    for (TickId tick : rescue.waiting()) {
      TaskLoop loop = loops.get(tick.task());
      if (loop != null) {
        loop.takeWaiting(tick);
      }
    }
    for (Rescue.Held held : rescue.held()) {
      TaskLoop loop = loops.get(held.tick().task());
      if (loop != null) {
        loop.giveBackUnknown(held);
      }
    }
    if (!rescue.cancelled().isEmpty()) {
      Set<ClaimId> cancelled = Set.copyOf(rescue.cancelled());
      bodies.cancel(run -> cancelled.contains(run.claimed().claim()), CancelReason.REPLACED);
    }
  }

  @Override
  public void lookAgain(TaskLoop loop) {
    lookAgain.add(loop);
  }

  @Override
  public void wakeAt(TaskLoop loop, Instant time) {
    dueQueue.wakeAt(loop, time);
  }

  @Override
  public Instant now() {
    return config.store().ledger().now();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public @Nullable Term term(String group) {
    Elector elector = electors.get(group);
    return elector == null ? null : elector.term();
  }

  @Override
  public List<ReplicaInfo> live() {
    return membership.isValid() ? membership.live() : List.of();
  }

  @Override
  public @Nullable Lease membershipLease() {
    return membership.lease();
  }

  @Override
  public EngineContext context() {
    return context;
  }

  @Override
  public Bodies bodies() {
    return bodies;
  }

  @Override
  public Telemetry telemetry() {
    return telemetry;
  }

  Collection<TaskLoop> loops() {
    return loops.values();
  }

  @Nullable TaskLoop loop(String task) {
    return loops.get(task);
  }

  Map<String, Elector> electors() {
    return electors;
  }

  Membership membership() {
    return membership;
  }

  /** No tick begins from now on. Leases are still renewed: running work may need them. */
  void beginStop() {
    running = false;
    dueQueue.clear();
    lookAgain.clear();
    electors.values().forEach(Elector::withdraw);
    if (worker != null) {
      worker.beginStop();
    }
  }

  /** Says whether no job is here, and everything that ended was reported. */
  boolean hasNoJobs() {
    return worker == null || worker.isQuiet();
  }

  /** Says whether no claim or report is on its way. */
  boolean isQuiet() {
    return shared.isQuiet() && local.isQuiet();
  }
}
