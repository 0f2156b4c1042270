package dev.monotick.testkit;

import dev.monotick.Monotick;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.ledger.TickId;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Task;
import dev.monotick.task.TaskSpec;
import dev.monotick.time.TimeSource;
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
  private final List<Function<String, Task>> tasks;
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();

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

  private static final class Replica {

    private final String name;
    private final InMemoryStore.Link link;
    private ManualThreads threads;
    private @Nullable Monotick engine;

    Replica(String name, InMemoryStore.Link link, ManualThreads threads) {
      this.name = name;
      this.link = link;
      this.threads = threads;
    }
  }

  private SimulatedCluster(Builder builder) {
    TimeSource time = scheduler.time().timeSource();
    this.store =
        InMemoryStore.builder()
            .time(time)
            .leaseTiming(builder.timing)
            .historyPerTask(builder.historyPerTask)
            .build();
    this.random = new Random(builder.seed);
    this.tasks = List.copyOf(builder.tasks);
    for (int i = 0; i < builder.replicas; i++) {
      replicas.add(new Replica("replica-" + i, store.connect(), scheduler.newEngine()));
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
    Replica replica = replicas.get(index);
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
    replicas.get(index).link.cut();
  }

  /** Lets calls of a replica reach the store, but loses the answers. */
  public void loseReplies(int index) {
    replicas.get(index).link.loseReplies();
  }

  /** Connects a replica with the store again. */
  public void heal(int index) {
    replicas.get(index).link.heal();
  }

  /** Starts a replica anew: another identity, and nothing remembered. */
  public void restart(int index) {
    Replica replica = replicas.get(index);
    replica.threads.kill();
    replica.link.heal();
    replica.threads = scheduler.newEngine();
    Monotick engine =
        Monotick.builder()
            .store(replica.link)
            .time(scheduler.time().timeSource())
            .threads(replica.threads)
            .replicaName(replica.name)
            .replicaId(new ReplicaId(new UUID(random.nextLong(), random.nextLong())))
            .build();
    tasks.forEach(task -> engine.register(recorded(replica.name, task.apply(replica.name))));
    engine.start();
    replica.engine = engine;
  }

  /** Counts in the body itself, so that a body which kills its replica is counted too. */
  private Task recorded(String replica, Task task) {
    TaskSpec spec = TaskSpec.of(task);
    return spec.withBody(
        context -> {
          runs.add(new Run(context.tick(), replica, scheduler.time().now()));
          spec.execute(context);
        });
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

    /** Starts the replicas, one after the other at the same instant. */
    public SimulatedCluster start() {
      return new SimulatedCluster(this);
    }
  }
}
