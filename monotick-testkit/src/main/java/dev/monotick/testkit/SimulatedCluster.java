package dev.monotick.testkit;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.Jobs;
import dev.monotick.job.PayloadCodec;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import dev.monotick.testkit.SimulatedReplica.Way;
import dev.monotick.testkit.fault.FaultyStore;
import dev.monotick.tick.TickId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several replicas of a service on one store, in virtual time on the test's thread: "run my tasks
 * for a simulated month and kill the leader every hour". The same seed gives the same run. Not
 * thread-safe.
 *
 * <pre>{@code
 * try (SimulatedCluster cluster = SimulatedCluster.builder().replicas(3).task(r -> report).start()) {
 *   cluster.advance(Duration.ofDays(30));
 *   assertThat(cluster.runs()).hasSize(30);
 * }
 * }</pre>
 */
public final class SimulatedCluster implements AutoCloseable {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store;
  private final Random random;
  private final LeaseTiming timing;
  private final List<Function<String, Task>> tasks;
  private final List<SimulatedHandler<?>> handlers;
  private final @Nullable PayloadCodec codec;
  private final List<SimulatedReplica> replicas = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private final List<JobRun> jobRuns = new ArrayList<>();
  private int storeStops;
  private boolean storeDown;

  /**
   * A body that was started.
   *
   * @param tick its tick
   * @param replica on which replica
   * @param at when, by the store's clock
   */
  public record Run(TickId tick, String replica, Instant at) {

    /** Returns how long after its nominal time it began. */
    public Duration lateness() {
      return Duration.between(tick.nominal(), at);
    }
  }

  /**
   * A handler that was started.
   *
   * @param job the job
   * @param kind name of its kind
   * @param attempt which attempt, from 1
   * @param replica on which replica
   * @param at when, by the store's clock
   */
  public record JobRun(JobId job, String kind, int attempt, String replica, Instant at) {}

  private SimulatedCluster(Builder builder) {
    TimeSource time = scheduler.time().timeSource();
    this.store =
        InMemoryStore.builder()
            .time(time)
            .leaseTiming(builder.timing)
            .historyPerTask(builder.historyPerTask)
            .build();
    this.random = new Random(builder.seed);
    this.timing = builder.timing;
    this.tasks = List.copyOf(builder.tasks);
    this.handlers = List.copyOf(builder.handlers);
    this.codec = builder.codec;
    for (int i = 0; i < builder.replicas; i++) {
      ReplicaClock clock = new ReplicaClock(scheduler.time());
      replicas.add(
          new SimulatedReplica(
              "replica-" + i,
              FaultyStore.to(store, "link " + (i + 1)),
              clock,
              scheduler.newEngine()));
      restart(i);
    }
  }

  /** Begins a cluster. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the store that all replicas share. */
  public InMemoryStore store() {
    return store;
  }

  /** Returns the scheduler that runs all replicas. */
  public ManualScheduler scheduler() {
    return scheduler;
  }

  /**
   * Returns the random numbers of this run; whatever a test decides by them repeats with its seed.
   */
  public Random random() {
    return random;
  }

  /** Lets time pass. */
  public void advance(Duration amount) {
    scheduler.advance(amount);
  }

  /**
   * Lets time pass, and kills the leader of the default group again and again on the way; each one
   * is started anew a lease later, or half an interval if that is shorter.
   *
   * @param amount how long
   * @param every how often a leader is killed
   * @return how many were killed
   */
  public int advanceCrashingLeaders(Duration amount, Duration every) {
    if (every.isNegative() || every.isZero()) {
      throw new IllegalArgumentException(
          "every must be longer than PT0S, but was " + every + "; use a positive duration");
    }
    Duration half = every.dividedBy(2);
    Duration lease = timing.leaseDuration();
    Duration down = half.compareTo(lease) < 0 ? half : lease;
    Instant end = scheduler.time().now().plus(amount);
    int crashes = 0;
    while (!scheduler.time().now().plus(every).isAfter(end)) {
      advance(every.minus(down));
      Optional<Integer> leader = leader(Task.DEFAULT_GROUP);
      leader.ifPresent(this::crash);
      advance(down);
      leader.ifPresent(this::restart);
      crashes += leader.isPresent() ? 1 : 0;
    }
    advance(Duration.between(scheduler.time().now(), end));
    return crashes;
  }

  /**
   * Returns the jobs that all replicas share, as somebody sees them who always reaches the store.
   */
  public Jobs jobs() {
    return Monotick.jobs(store, codec);
  }

  /** Returns all handlers that were started, in order. */
  public List<JobRun> jobRuns() {
    return Collections.unmodifiableList(jobRuns);
  }

  /** Returns all bodies that were started, in order. */
  public List<Run> runs() {
    return Collections.unmodifiableList(runs);
  }

  /** Returns the engine of a replica; tasks registered there directly are not recorded. */
  public Monotick replica(int index) {
    Monotick engine = replicas.get(index).engine;
    if (engine == null) {
      throw new IllegalStateException("replica-" + index + " is down; restart it first");
    }
    return engine;
  }

  /** Registers a task on one replica, now; what it runs is among the {@link #runs}. */
  public void register(int index, Task task) {
    replica(index).register(recorded(replicas.get(index).name, task));
  }

  /** Says whether a replica runs. */
  public boolean isUp(int index) {
    return replicas.get(index).engine != null;
  }

  /** Returns which replica leads the group, by its own knowledge; empty if none thinks so. */
  public Optional<Integer> leader(String group) {
    for (int i = 0; i < replicas.size(); i++) {
      Monotick engine = replicas.get(i).engine;
      if (engine != null
          && !replicas.get(i).threads.isFrozen()
          && engine.leadership(group).filter(LeaderTerm::isValid).isPresent()) {
        return Optional.of(i);
      }
    }
    return Optional.empty();
  }

  /** Kills a replica as SIGKILL would. */
  public void crash(int index) {
    SimulatedReplica replica = replicas.get(index);
    replica.threads.kill();
    replica.engine = null;
  }

  /** Stops a replica gracefully. */
  public void stop(int index) {
    replica(index).stop(Monotick.DEFAULT_GRACE);
    replicas.get(index).engine = null;
  }

  /** Stops a replica as SIGSTOP would: time goes on without it. */
  public void freeze(int index) {
    replicas.get(index).threads.freeze();
  }

  /** Lets a frozen replica go on. */
  public void thaw(int index) {
    replicas.get(index).threads.thaw();
  }

  /** Cuts a replica from the store. */
  public void partition(int index) {
    replicas.get(index).connect(Way.CUT, storeDown);
  }

  /** Lets calls of a replica reach the store, but loses the answers. */
  public void loseReplies(int index) {
    replicas.get(index).connect(Way.LOSES_REPLIES, storeDown);
  }

  /** Connects a replica with the store again. */
  public void heal(int index) {
    replicas.get(index).connect(Way.WHOLE, storeDown);
  }

  /**
   * Restarts the store: nobody reaches it for so long, and what it had acknowledged is there again
   * afterwards, leases included. Returns at once; let time pass for it.
   */
  public void restartStore(Duration down) {
    storeDown = true;
    int stop = ++storeStops;
    replicas.forEach(replica -> replica.connect(replica.way, storeDown));
    scheduler.add(
        scheduler.newEngine(),
        down,
        () -> {
          if (stop == storeStops) { // else it was restarted once more meanwhile
            storeDown = false;
            replicas.forEach(replica -> replica.connect(replica.way, storeDown));
          }
        });
  }

  /**
   * Sets the clocks of a replica wrong, until they are set again, also over its restarts.
   *
   * @param index which replica
   * @param offset how far its wall clock is ahead; negative for behind
   * @param rate how fast its clocks run; 1 is right. Leases hold up to a tenth more or less; beyond
   *     that two replicas may believe to lead, and only the ledger keeps ticks apart
   */
  public void skewClock(int index, Duration offset, double rate) {
    if (!(rate > 0) || rate > 1_000) {
      throw new IllegalArgumentException(
          "rate must be above 0 and at most 1000, but was " + rate + "; 1 is right");
    }
    ReplicaClock clock = replicas.get(index).clock;
    clock.offset(offset);
    clock.rate(rate);
  }

  /** Starts a replica anew: another identity, and nothing remembered. */
  public void restart(int index) {
    SimulatedReplica replica = replicas.get(index);
    replica.threads.kill();
    replica.connect(Way.WHOLE, storeDown);
    ManualThreads threads = scheduler.newEngine(replica.clock, Network.INSTANT);
    replica.threads = threads;
    MonotickBuilder builder =
        Monotick.builder()
            .store(replica.link)
            .time(replica.clock.timeSource())
            .threads(threads)
            .replicaName(replica.name)
            .replicaId(new MemberId(new UUID(random.nextLong(), random.nextLong())));
    if (codec != null) {
      builder.payloadCodec(codec);
    }
    for (SimulatedHandler<?> handler : handlers) {
      handler.addTo(builder, replica.name, job -> handling(threads, replica.name, job));
    }
    Monotick engine = builder.build();
    tasks.forEach(task -> engine.register(recorded(replica.name, task.apply(replica.name))));
    engine.start();
    replica.engine = engine;
  }

  /** Counts in the body itself, so that a body which kills its replica is counted too. */
  private Task recorded(String replica, Task task) {
    return Task.like(task)
        .run(
            context -> {
              runs.add(new Run(context.tick(), replica, scheduler.time().now()));
              task.execute(context);
            });
  }

  /**
   * Counts as {@link #recorded} does; a slot goes from job to job, also that of a killed replica.
   */
  private void handling(ManualThreads threads, String replica, JobContext<?> context) {
    threads.requireAlive();
    Instant at = scheduler.time().now();
    jobRuns.add(new JobRun(context.id(), context.lane().kind(), context.attempt(), replica, at));
  }

  /** Kills all replicas. */
  @Override
  public void close() {
    replicas.forEach(replica -> replica.threads.kill());
  }

  /** Builds a {@link SimulatedCluster}. */
  public static final class Builder {

    private int replicas = 3;
    private long seed = 1;
    private LeaseTiming timing = InMemoryStore.DEFAULT_LEASE_TIMING;
    private int historyPerTask = 1000;
    private final List<Function<String, Task>> tasks = new ArrayList<>();
    private final List<SimulatedHandler<?>> handlers = new ArrayList<>();
    private @Nullable PayloadCodec codec;

    private Builder() {}

    /** How many replicas run; by default three. */
    public Builder replicas(int replicas) {
      if (replicas < 1) {
        throw new IllegalArgumentException(
            "replicas must be at least 1, but was " + replicas + "; use 1 or more");
      }
      this.replicas = replicas;
      return this;
    }

    /** What the run's random decisions follow from; by default 1. */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /** The timing of all leases. Long ones make long simulated times cheap. */
    public Builder leaseTiming(LeaseTiming timing) {
      this.timing = timing;
      return this;
    }

    /** How many ended rows of each task the ledger keeps; by default 1000. */
    public Builder historyPerTask(int historyPerTask) {
      this.historyPerTask = historyPerTask;
      return this;
    }

    /** Adds a task to every replica; the function gets the replica's name. */
    public Builder task(Function<String, Task> task) {
      tasks.add(task);
      return this;
    }

    /** Adds a handler for jobs to every replica; the function gets the replica's name. */
    public <P> Builder handler(JobKind<P> kind, Function<String, JobHandler<P>> handler) {
      handlers.add(new SimulatedHandler<>(kind, handler));
      return this;
    }

    /** How payloads of jobs are written; by default by what the class path offers. */
    public Builder payloadCodec(PayloadCodec codec) {
      this.codec = codec;
      return this;
    }

    /** Starts the replicas, one after the other at the same instant. */
    public SimulatedCluster start() {
      return new SimulatedCluster(this);
    }
  }
}
