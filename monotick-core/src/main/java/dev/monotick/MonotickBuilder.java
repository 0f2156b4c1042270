package dev.monotick;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.monotick.engine.EngineConfig;
import dev.monotick.engine.JobWork;
import dev.monotick.engine.ReplicaSettings;
import dev.monotick.engine.job.JobHandlers;
import dev.monotick.engine.job.JobWorkerSettings;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.SystemThreads;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import dev.monotick.job.PayloadCodec;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.spi.Store;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Monotick}. A {@link #store} must be given, all else has a default. What is set in
 * code wins over the environment. Not thread-safe.
 */
public final class MonotickBuilder {

  private final List<Task> tasks = new ArrayList<>();
  private final List<Consumer<Monotick>> handlers = new ArrayList<>();
  private JobWorkerSettings work = JobWorkerSettings.DEFAULTS;
  private @Nullable PayloadCodec codec;
  private @Nullable Store store;
  private @Nullable LeaderElection election;
  private @Nullable LeaseTiming leaseTiming;
  private @Nullable String replicaName;
  private @Nullable LeadershipMode leadership;
  private boolean leaderTasksEverywhere;
  private Environment environment = new Environment(Map.of());
  private MetricSink metrics = MetricSink.none();
  private TimeSource time = TimeSource.system();
  private @Nullable EngineThreads threads;
  private @Nullable MemberId replicaId;

  MonotickBuilder() {}

  /** The store that all replicas share. Required. */
  public MonotickBuilder store(Store store) {
    this.store = requireNonNull(store, "store");
    return this;
  }

  /** Adds a task, as {@link Monotick#register} does. */
  public MonotickBuilder task(Task task) {
    tasks.add(requireNonNull(task, "task"));
    return this;
  }

  /** Adds a handler for jobs of a kind, as {@link Monotick#handle} does. */
  public <P> MonotickBuilder handler(JobKind<P> kind, JobHandler<P> handler) {
    requireNonNull(kind, "kind");
    requireNonNull(handler, "handler");
    handlers.add(engine -> engine.handle(kind, handler));
    return this;
  }

  /** How many jobs this replica runs at a time, 1 to 10,000; 20 by default. */
  public MonotickBuilder concurrency(int concurrency) {
    this.work = new JobWorkerSettings(concurrency, work.queues());
    return this;
  }

  /** Takes jobs of these queues only; by default of all. */
  public MonotickBuilder queues(String... queues) {
    this.work = new JobWorkerSettings(work.concurrency(), Set.of(queues));
    return this;
  }

  /**
   * How payloads of jobs are written; by default by what the class path offers, which is
   * monotick-jackson.
   */
  public MonotickBuilder payloadCodec(PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    return this;
  }

  /** What people call this replica; by default the host's name and the process id. */
  public MonotickBuilder replicaName(String replicaName) {
    this.replicaName = requireNonNull(replicaName, "replicaName");
    return this;
  }

  /** How leaders are found; by default they are {@linkplain LeadershipMode#ELECTED elected}. */
  public MonotickBuilder leadership(LeadershipMode leadership) {
    this.leadership = requireNonNull(leadership, "leadership");
    return this;
  }

  /** Elects leaders elsewhere than in the store. */
  public MonotickBuilder election(LeaderElection election) {
    this.election = requireNonNull(election, "election");
    return this;
  }

  /** The timing of leadership; by default the one the election is meant for. */
  public MonotickBuilder leaseTiming(LeaseTiming leaseTiming) {
    this.leaseTiming = requireNonNull(leaseTiming, "leaseTiming");
    return this;
  }

  /**
   * Runs every tick of LEADER tasks on every replica. Duplicates are then certain: each replica
   * sends the mail, signs the list, pays the bill. Exists for those who migrate from a system that
   * did so and have made their tasks idempotent.
   */
  public MonotickBuilder dangerouslyRunLeaderTasksOnEveryReplica() {
    this.leaderTasksEverywhere = true;
    return this;
  }

  /**
   * Reads settings from variables, usually {@code System.getenv()}: {@code MONOTICK_REPLICA_NAME},
   * {@code MONOTICK_LEADERSHIP}, {@code MONOTICK_LEASE_DURATION}, {@code
   * MONOTICK_LEASE_RENEW_INTERVAL}, {@code MONOTICK_LEASE_RENEW_TIMEOUT}, {@code
   * MONOTICK_LEASE_MARGIN}, {@code MONOTICK_TASK_<NAME>_INTERVAL} and {@code
   * MONOTICK_TASK_<NAME>_TIMEOUT}, where the name of the task is in capitals with {@code _} for all
   * but letters and digits. Variables of other prefixes are passed over, and so are those that
   * Kubernetes injects for a Service whose name begins with {@code monotick}.
   *
   * @throws IllegalArgumentException if one is unknown or malformed
   */
  public MonotickBuilder environment(Map<String, String> variables) {
    this.environment = new Environment(variables);
    return this;
  }

  /** Who takes the engine's figures; by default nobody. */
  public MonotickBuilder metrics(MetricSink metrics) {
    this.metrics = requireNonNull(metrics, "metrics");
    return this;
  }

  /** The clocks; by default those of this process. */
  public MonotickBuilder time(TimeSource time) {
    this.time = requireNonNull(time, "time");
    return this;
  }

  /** Where code runs. For the test kit. */
  @SuppressWarnings("exports") // the type is exported to the test kit only, on purpose
  public MonotickBuilder threads(EngineThreads threads) {
    this.threads = requireNonNull(threads, "threads");
    return this;
  }

  /** The identity of this start. For the test kit: it must be new for every start. */
  public MonotickBuilder replicaId(MemberId replicaId) {
    this.replicaId = requireNonNull(replicaId, "replicaId");
    return this;
  }

  /**
   * Builds the engine; it does not run yet.
   *
   * @throws IllegalArgumentException if something is missing, wrong or contradicts
   */
  public Monotick build() {
    Store chosen = store;
    if (chosen == null) {
      throw new IllegalArgumentException(
          "store is missing; give the one all replicas share, or InMemoryStore.create() if there is"
              + " only ever one process");
    }
    LeaderElection elections = requireNonNullElse(election, chosen.leaders());
    ReplicaSettings settings =
        new ReplicaSettings(
            name(),
            firstOf(leadership, environment.leadership(), LeadershipMode.ELECTED),
            leaderTasksEverywhere,
            timing(elections),
            environment.intervals(),
            environment.timeouts());
    if (settings.leaderTasksEverywhere()
        && settings.leadership() == LeadershipMode.SINGLE_REPLICA) {
      throw new IllegalArgumentException(
          "dangerouslyRunLeaderTasksOnEveryReplica contradicts leadership SINGLE_REPLICA, which"
              + " allows one replica; leave one of them out");
    }
    EngineThreads chosenThreads =
        threads == null ? new SystemThreads(settings.replicaName()) : threads;
    ReplicaEngine engine =
        new ReplicaEngine(
            new EngineConfig(
                replicaId == null ? MemberId.random() : replicaId,
                chosen,
                elections,
                settings,
                time,
                chosenThreads,
                metrics,
                new JobWork(new JobHandlers(), work, codec)));
    try {
      engine.register(tasks);
      handlers.forEach(handler -> handler.accept(engine));
    } catch (RuntimeException e) {
      chosenThreads.close();
      throw e;
    }
    return engine;
  }

  private String name() {
    String configured =
        replicaName == null ? environment.text(Environment.REPLICA_NAME) : replicaName;
    String name = configured == null ? HostName.ofThisProcess() : configured;
    if (name.isBlank() || name.length() > 200) {
      throw new IllegalArgumentException(
          "replicaName must be 1 to 200 characters, but was \"" + name + "\"; choose another");
    }
    return name;
  }

  /** Returns the timing if any part of it was set; parts that were not are the backend's. */
  private @Nullable LeaseTiming timing(LeaderElection elections) {
    if (leaseTiming != null) {
      return leaseTiming;
    }
    LeaseTiming base = elections.defaultTiming();
    return new LeaseTiming(
        firstOf(null, environment.duration(Environment.LEASE_DURATION), base.leaseDuration()),
        firstOf(null, environment.duration(Environment.LEASE_RENEW_INTERVAL), base.renewInterval()),
        firstOf(null, environment.duration(Environment.LEASE_RENEW_TIMEOUT), base.renewTimeout()),
        firstOf(null, environment.duration(Environment.LEASE_MARGIN), base.margin()));
  }

  private static <T> T firstOf(@Nullable T inCode, @Nullable T byEnvironment, T otherwise) {
    return inCode != null ? inCode : requireNonNullElse(byEnvironment, otherwise);
  }
}
