package dev.monotick.micrometer;

import static java.util.Objects.requireNonNull;

import dev.monotick.leader.Fence;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts an engine's figures into a Micrometer registry.
 *
 * <p>A task has {@value #METERS_PER_TASK} meters and a leadership group {@value #METERS_PER_GROUP},
 * so a registry grows with the number of tasks and never with the number of ticks. All meters of a
 * task are made when it is registered, hence counters begin at zero, and afterwards the engine's
 * loop only looks them up. {@code docs/operate/metrics.md} lists them.
 *
 * <p>One instance serves one engine. Engines that share a registry need a tag that tells them
 * apart; engines that follow each other need {@link #close} in between, or gauges keep showing the
 * former one. Thread-safe.
 */
public final class MicrometerMetrics implements MetricSink, AutoCloseable {

  /** How many meters each registered task has. */
  public static final int METERS_PER_TASK = 17;

  /** How many meters each leadership group has in which this replica has led. */
  public static final int METERS_PER_GROUP = 2;

  private final Meters meters;
  private final ConcurrentMap<String, TaskMeters> tasks = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, GroupMeters> groups = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, JobMeters> kinds = new ConcurrentHashMap<>();
  private final Map<Completion, RefusedMeters> refused = new EnumMap<>(Completion.class);
  private final ConcurrentMap<String, AtomicLong> unhandled = new ConcurrentHashMap<>();
  private final Counter rescued;
  private volatile int abandonedHandlers; // written on the engine's loop, read by whoever scrapes

  /** Creates a sink whose meters have no tags but their own. */
  public MicrometerMetrics(MeterRegistry registry) {
    this(registry, Tags.empty());
  }

  /**
   * Creates a sink.
   *
   * @param registry where the meters go
   * @param tags what every meter has beside its own tags, such as the replica's name
   */
  public MicrometerMetrics(MeterRegistry registry, Tags tags) {
    this.meters = new Meters(registry, tags);
    this.rescued =
        meters.counter(
            "monotick.job.rescued", "runs of replicas that were gone, seen to here", Tags.empty());
    meters.gauge(
        "monotick.job.handlers.abandoned",
        "handlers that ignore their interrupt and still run",
        null,
        Tags.empty(),
        () -> abandonedHandlers);
    for (Completion of : Completion.values()) {
      refused.put(of, new RefusedMeters(meters, of));
    }
  }

  @Override
  public void taskRegistered(String task) {
    TaskMeters unused = task(task);
  }

  @Override
  public void tickStarted(String task, Duration lateness) {
    task(task).started(lateness);
  }

  @Override
  public void tickEnded(String task, Outcome outcome, Duration duration, Instant at) {
    task(task).ended(outcome, duration, at);
  }

  @Override
  public void ticksNotRun(String task, Outcome outcome, @Nullable SkipReason reason, long count) {
    task(task).notRun(outcome, reason, count);
  }

  @Override
  public void tickLeftToLeader(String task) {
    task(task).leftToLeader();
  }

  @Override
  public void duplicateRefused(String task) {
    task(task).duplicateRefused();
  }

  @Override
  public void refusedByFence(String task) {
    task(task).refusedByFence();
  }

  @Override
  public void leadership(String group, boolean leader, @Nullable Fence fence) {
    groups.computeIfAbsent(group, name -> new GroupMeters(meters, name)).changed(leader, fence);
  }

  @Override
  public void jobEnded(String kind, String end, Duration took) {
    kind(kind).ended(end, took);
  }

  @Override
  public void jobRefused(String kind) {
    kind(kind).refused();
  }

  @Override
  public void completionsRefused(Completion of, int count, @Nullable Instant since) {
    requireNonNull(refused.get(of)).changed(count, since);
  }

  @Override
  public void jobHandlersAbandoned(int handlers) {
    abandonedHandlers = handlers;
  }

  @Override
  public void jobsRescued(int runs) {
    rescued.increment(runs);
  }

  @Override
  public void jobsUnhandled(String kind, long jobs) {
    unhandled
        .computeIfAbsent(
            kind,
            name -> {
              AtomicLong value = new AtomicLong();
              meters.gauge(
                  "monotick.job.unhandled",
                  "jobs that wait though no live replica handles their kind",
                  null,
                  Tags.of("kind", name),
                  value::get);
              return value;
            })
        .set(jobs);
  }

  private JobMeters kind(String name) {
    JobMeters known = kinds.get(name);
    return known != null ? known : kinds.computeIfAbsent(name, n -> new JobMeters(meters, n));
  }

  /** Takes all meters out of the registry again. Stop the engine first. */
  @Override
  public void close() {
    tasks.clear();
    groups.clear();
    kinds.clear();
    unhandled.clear();
    meters.close();
  }

  private TaskMeters task(String name) {
    TaskMeters known = tasks.get(name); // on the engine's loop this is all that happens
    return known != null ? known : tasks.computeIfAbsent(name, n -> new TaskMeters(meters, n));
  }
}
