package dev.monotick.engine;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.base.MemberIdentity;
import dev.monotick.engine.job.JobWorker;
import dev.monotick.engine.leader.AloneElection;
import dev.monotick.engine.leader.Elector;
import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.member.LocalLease;
import dev.monotick.engine.member.Membership;
import dev.monotick.engine.observe.EngineTelemetry;
import dev.monotick.engine.observe.UnhandledJobs;
import dev.monotick.engine.thread.Result;
import dev.monotick.engine.tick.DueQueue;
import dev.monotick.engine.tick.LedgerClient;
import dev.monotick.engine.tick.LocalConfig;
import dev.monotick.engine.tick.ReplicaDifferences;
import dev.monotick.engine.tick.TaskBodies;
import dev.monotick.engine.tick.TaskHost;
import dev.monotick.engine.tick.TaskLoop;
import dev.monotick.engine.tick.TickCancelReason;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.internal.ledger.RowLedger;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
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
public final class EngineLoop implements TaskHost, Membership.Owner, Elector.Owner {

  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  /** A clock that moved this much more or less than the ticker was set. */
  private static final Duration CLOCK_JUMP = Duration.ofMillis(20);

  /** How many ended rows are kept of each task whose ticks every replica has for itself. */
  private static final int LOCAL_HISTORY = 10;

  private final EngineConfig config;
  private final EngineContext context;
  private final EngineTelemetry telemetry;
  private final TaskBodies bodies;
  private final DueQueue dueQueue;
  private final LedgerClient shared;
  private final LedgerClient local;
  private final Membership membership;
  private final LeaderElection election;
  private final Map<String, TaskLoop> loops = new LinkedHashMap<>();
  private final Map<String, Elector> electors = new TreeMap<>();
  private final Set<TaskLoop> refreshLater = new LinkedHashSet<>();
  private final LocalConfig ownConfig;
  private final ReplicaDifferences differences;
  private final UnhandledJobs unhandledJobs;
  private final Instant startedAt;
  private @Nullable JobWorker worker;
  private boolean running;
  private boolean joinedOnce;
  private @Nullable Set<String> sharedNames;
  private Instant lastClock;
  private long lastTicker;

  public EngineLoop(EngineConfig config, EngineTelemetry telemetry) {
    this.config = config;
    this.telemetry = telemetry;
    this.context =
        new EngineContext(
            new MemberIdentity(config.replica()),
            config.settings().replicaName(),
            config.threads(),
            config.time());
    this.bodies = new TaskBodies(context, this::now, telemetry);
    this.dueQueue = new DueQueue(config.threads(), this::now);
    this.shared = new LedgerClient(config.store().ledger(), context);
    this.local = new LedgerClient(localLedger(config), ofThisProcess(context));
    shared.whenReportsRefused(count -> telemetry.reportsRefused(count, now()));
    this.startedAt = config.store().ledger().now();
    this.lastClock = startedAt;
    this.lastTicker = config.time().nanos();
    this.ownConfig = new LocalConfig(config.work().handlers()::kinds, loops::values);
    this.differences = new ReplicaDifferences(context::replica);
    this.unhandledJobs =
        new UnhandledJobs(context, () -> config.store().jobs().counts(), telemetry);
    boolean alone = config.settings().leadership() == LeadershipMode.SINGLE_REPLICA;
    this.election = alone ? new AloneElection(config.store()) : config.election();
    this.membership = new Membership(config.store().replicas(), context, this::self, alone, this);
  }

  /**
   * Returns a context whose id stays the same: what a replica has for itself outlives memberships.
   */
  private static EngineContext ofThisProcess(EngineContext context) {
    return new EngineContext(
        new MemberIdentity(context.replica()),
        context.replicaName(),
        context.threads(),
        context.time());
  }

  /** Ticks that every replica has for itself need no agreement: their ledger is its own. */
  private static TickLedger localLedger(EngineConfig config) {
    TimeSource time = new TimeSource(() -> config.store().ledger().now(), config.time().ticker());
    return new RowLedger(time, LOCAL_HISTORY, replica -> false);
  }

  /** Starts; {@code first} gets the result of the first try to join. */
  public void start(Consumer<Result<Boolean>> first) {
    running = true;
    config.threads().watch(this::watch, this::needsWatch);
    shared.ledger().onWaiting(() -> config.threads().execute(() -> rescueSoon(shared)));
    loops.values().stream().filter(loop -> loop.ledger() == local).forEach(this::makeKnown);
    workIfNeeded();
    membership.start(first);
  }

  /** Tells the others of a new handler. */
  public void handlersChanged() {
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

  public void add(Task spec) {
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
  public SeriesRegistration registration(TaskLoop loop) {
    Task spec = loop.spec();
    Instant atStart = tickAtStart(spec);
    Instant begin = atStart == null ? now() : atStart.minusMillis(1);
    return new SeriesRegistration(spec.name(), spec.schedule().toString(), begin);
  }

  private @Nullable Instant tickAtStart(Task spec) {
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

  private MemberInfo self() {
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
    return new MemberInfo(
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
  public void heartbeatRecorded() {
    rescueSoon(shared);
    if (worker != null) {
      worker.heartbeatRecorded(
          membership.live().stream().map(MemberInfo::id).collect(Collectors.toUnmodifiableSet()));
    }
    compareReplicas();
    unhandledJobs.checkPeriodically(this::live);
    List<TaskLoop> waiting = List.copyOf(refreshLater);
    refreshLater.clear();
    waiting.forEach(TaskLoop::refresh);
  }

  private void compareReplicas() {
    for (String task : differences.compare(membership.live())) {
      TaskLoop loop = loops.get(task);
      if (loop != null) {
        loop.refresh();
      }
    }
  }

  public ReplicaDifferences differences() {
    return differences;
  }

  @Override
  public ReplicaDifferences.@Nullable Winner winner(String task) {
    return differences.winner(task);
  }

  @Override
  public void membershipLost(LossCause cause) {
    bodies.cancel(run -> run.loop().ledger() == shared, TickCancelReason.MEMBERSHIP_LOST);
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
  public void gained(HeldTerm term) {
    telemetry.gained(term);
    for (TaskLoop loop : List.copyOf(loops.values())) {
      if (term.group().equals(loop.leadingGroup())) {
        loop.refresh();
      }
    }
    rescueSoon(shared);
  }

  @Override
  public void revoked(HeldTerm term) {
    bodies.cancel(run -> run.claimed().term() == term, TickCancelReason.LEADERSHIP_LOST);
  }

  @Override
  public void lost(HeldTerm term, LossCause cause) {
    telemetry.lost(term, cause);
  }

  @Override
  public void fenced(HeldTerm term) {
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

  private void rescued(TickRescue rescue) {
    for (TickRecord row : rescue.unknown()) {
      telemetry.unknown(row);
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
    for (TickRescue.Held held : rescue.held()) {
      TaskLoop loop = loops.get(held.tick().task());
      if (loop != null) {
        loop.giveBackUnknown(held);
      }
    }
    if (!rescue.cancelled().isEmpty()) {
      Set<TickClaimId> cancelled = Set.copyOf(rescue.cancelled());
      bodies.cancel(run -> cancelled.contains(run.claimed().claim()), TickCancelReason.REPLACED);
    }
  }

  @Override
  public void refreshLater(TaskLoop loop) {
    refreshLater.add(loop);
  }

  @Override
  public void scheduleAt(TaskLoop loop, Instant time) {
    dueQueue.scheduleAt(loop, time);
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
  public @Nullable HeldTerm term(String group) {
    Elector elector = electors.get(group);
    return elector == null ? null : elector.term();
  }

  @Override
  public List<MemberInfo> live() {
    return membership.isValid() ? membership.live() : List.of();
  }

  @Override
  public @Nullable LocalLease membershipLease() {
    return membership.lease();
  }

  @Override
  public EngineContext context() {
    return context;
  }

  @Override
  public TaskBodies bodies() {
    return bodies;
  }

  @Override
  public EngineTelemetry telemetry() {
    return telemetry;
  }

  public Collection<TaskLoop> loops() {
    return loops.values();
  }

  @Nullable
  public TaskLoop loop(String task) {
    return loops.get(task);
  }

  public Map<String, Elector> electors() {
    return electors;
  }

  Membership membership() {
    return membership;
  }

  /** No tick begins from now on. Leases are still renewed: running work may need them. */
  void beginStop() {
    running = false;
    dueQueue.clear();
    refreshLater.clear();
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
