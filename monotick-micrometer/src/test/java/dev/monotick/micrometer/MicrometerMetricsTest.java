package dev.monotick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.tick.Outcome;
import dev.monotick.work.Backoff;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MicrometerMetricsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private Monotick start(String replica, Task... tasks) {
    MonotickBuilder builder =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .replicaName(replica)
            .metrics(new MicrometerMetrics(registry, Tags.of("replica", replica)));
    for (Task task : tasks) {
      builder.task(task);
    }
    Monotick engine = builder.build();
    engine.start();
    return engine;
  }

  private static Task task(String name, HaMode mode, TaskBody body) {
    return Task.named(name).every(SECOND).mode(mode).backoff(Backoff.none()).run(body);
  }

  private RequiredSearch meter(String name, String... tags) {
    return registry.get("monotick." + name).tags(tags);
  }

  private double count(String name, String... tags) {
    return meter(name, tags).counter().count();
  }

  @Test
  void runsAreCountedByOutcomeAndTimed() {
    start("a", task("sign", HaMode.LEADER, context -> context.sleep(Duration.ofMillis(300))));
    scheduler.advance(SECOND.multipliedBy(10));
    scheduler.advance(Duration.ofMillis(500));

    assertThat(count("task.runs", "task", "sign", "outcome", "SUCCEEDED")).isEqualTo(10);
    assertThat(count("task.runs", "task", "sign", "outcome", "FAILED")).isZero();
    assertThat(meter("task.duration", "task", "sign").timer().count()).isEqualTo(10);
    assertThat(meter("task.duration").timer().totalTime(TimeUnit.MILLISECONDS)).isEqualTo(3000);
    assertThat(meter("task.lateness", "task", "sign").timer().count()).isEqualTo(10);
    assertThat(meter("task.last.success", "task", "sign").gauge().value())
        .isEqualTo(FakeTime.START.getEpochSecond() + 10.3);
  }

  @Test
  void failuresAreCountedAndLeaveNoLastSuccess() {
    start(
        "a",
        task(
            "fail",
            HaMode.ONE_REPLICA,
            context -> {
              throw new IllegalStateException("on purpose");
            }));
    scheduler.advance(SECOND.multipliedBy(4));

    assertThat(count("task.runs", "task", "fail", "outcome", "FAILED")).isEqualTo(4);
    assertThat(meter("task.last.success", "task", "fail").gauge().value()).isNaN();
  }

  @Test
  void ticksThatDoNotRunAreCountedWithTheirReason() {
    start("a", task("slow", HaMode.LEADER, context -> context.sleep(Duration.ofMillis(1500))));
    scheduler.advance(SECOND.multipliedBy(8));

    assertThat(count("task.not.run", "task", "slow", "outcome", "SKIPPED", "reason", "OVERLAP"))
        .isEqualTo(4);
    assertThat(count("task.not.run", "outcome", "MISSED", "reason", "none")).isZero();
  }

  @Test
  void leadershipAndWhatIsLeftToItAreSeenPerReplica() {
    Task sign = task("sign", HaMode.LEADER, context -> {});
    Monotick first = start("a", sign);
    scheduler.advance(SECOND);
    start("b", sign);
    scheduler.advance(SECOND.multipliedBy(5));

    assertThat(meter("leader", "replica", "a", "group", "default").gauge().value()).isEqualTo(1);
    assertThat(count("task.left.to.leader", "replica", "a")).isZero();
    assertThat(count("task.left.to.leader", "replica", "b")).isEqualTo(5);

    first.stop(SECOND);
    scheduler.advance(SECOND.multipliedBy(5));

    assertThat(meter("leader", "replica", "a").gauge().value()).isZero();
    assertThat(meter("leader", "replica", "b").gauge().value()).isEqualTo(1);
    assertThat(meter("leader.epoch", "replica", "b").gauge().value())
        .isGreaterThan(meter("leader.epoch", "replica", "a").gauge().value());
  }

  @Test
  void outcomesNobodyKnowsCountAsRunsAndLateClaimsAsMissed() {
    MicrometerMetrics metrics = new MicrometerMetrics(registry);
    metrics.ticksNotRun("t", Outcome.UNKNOWN, null, 1);
    metrics.tickEnded("t", Outcome.MISSED, Duration.ZERO, FakeTime.START);
    metrics.duplicateRefused("t");
    metrics.refusedByFence("t");

    assertThat(count("task.runs", "outcome", "UNKNOWN")).isEqualTo(1);
    assertThat(count("task.not.run", "outcome", "MISSED")).isEqualTo(1);
    assertThat(meter("task.duration").timer().count()).isZero();
    assertThat(count("task.duplicates.refused")).isEqualTo(1);
    assertThat(count("task.refused.by.fence")).isEqualTo(1);
  }

  @Test
  void metersGrowWithTasksAndGroupsOnly() {
    start(
        "a",
        task("one", HaMode.LEADER, context -> {}),
        task("two", HaMode.EVERY_REPLICA, context -> {}));
    scheduler.runDue();
    int atStart = registry.getMeters().size();
    scheduler.advance(Duration.ofHours(1));

    assertThat(registry.getMeters())
        .hasSize(
            2 * MicrometerMetrics.METERS_PER_TASK
                + MicrometerMetrics.METERS_PER_GROUP
                + 2 // of all jobs
                + 4) // of refused completions
        .hasSize(atStart);
  }

  @Test
  void refusedCompletionsAreShownUntilTheyAreRecorded() {
    MicrometerMetrics metrics = new MicrometerMetrics(registry);
    metrics.completionsRefused(MetricSink.Completion.JOB, 3, Instant.ofEpochSecond(1_000));
    var jobs = registry.get("monotick.completions.refused").tag("of", "job");
    var since = registry.get("monotick.completions.refused.since").tag("of", "job");
    assertThat(jobs.gauge().value()).isEqualTo(3);
    assertThat(since.gauge().value()).isEqualTo(1_000);
    assertThat(registry.get("monotick.completions.refused").tag("of", "tick").gauge().value())
        .isZero();
    metrics.completionsRefused(MetricSink.Completion.JOB, 0, null);
    assertThat(jobs.gauge().value()).isZero();
    assertThat(since.gauge().value()).isNaN();
  }

  @Test
  void endsOfJobsAreTimedByKind() {
    MicrometerMetrics metrics = new MicrometerMetrics(registry);
    metrics.jobEnded("mail", "Succeeded", Duration.ofSeconds(2));
    metrics.jobEnded("mail", "Retried", Duration.ofSeconds(1));
    metrics.jobRefused("mail");
    metrics.jobsRescued(3);
    metrics.jobHandlersAbandoned(2);

    assertThat(registry.get("monotick.job.runs").tag("outcome", "Succeeded").timer().count())
        .isEqualTo(1);
    assertThat(registry.get("monotick.job.runs").tag("outcome", "Lost").timer().count()).isZero();
    assertThat(count("job.completions.stale")).isEqualTo(1);
    assertThat(count("job.rescued")).isEqualTo(3);
    assertThat(registry.get("monotick.job.handlers.abandoned").gauge().value()).isEqualTo(2);
    metrics.jobsUnhandled("fax", 3);
    assertThat(registry.get("monotick.job.unhandled").tag("kind", "fax").gauge().value())
        .isEqualTo(3);
    metrics.jobsUnhandled("fax", 0);
    assertThat(registry.get("monotick.job.unhandled").tag("kind", "fax").gauge().value()).isZero();
  }

  @Test
  void closedMetricsLeaveNothingBehind() {
    try (MicrometerMetrics metrics = new MicrometerMetrics(registry)) {
      metrics.taskRegistered("t");
      metrics.leadership("default", false, null);
      assertThat(registry.getMeters()).isNotEmpty();
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void theManualListsExactlyTheMetersThatAreRegistered() throws IOException {
    MicrometerMetrics metrics = new MicrometerMetrics(registry);
    metrics.taskRegistered("t");
    metrics.leadership("default", false, null);
    metrics.jobRefused("mail");
    metrics.jobsUnhandled("fax", 1);
    Map<String, Set<String>> registered = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      registered
          .computeIfAbsent(meter.getId().getName(), name -> new TreeSet<>())
          .addAll(meter.getId().getTags().stream().map(Tag::getKey).toList());
    }

    assertThat(metersInManual()).isEqualTo(registered);
  }

  /** Reads rows such as {@code | `monotick.leader` | gauge | `group` | ... |}. */
  private static Map<String, Set<String>> metersInManual() throws IOException {
    Pattern row = Pattern.compile("(?m)^\\| `(monotick\\.[a-z.]+)` \\|[^|]*\\|([^|]*)\\|");
    Pattern tag = Pattern.compile("`([a-z]+)`");
    String manual = Files.readString(Path.of("..", "docs", "operate", "metrics.md"));
    return row.matcher(manual)
        .results()
        .collect(
            Collectors.toMap(
                found -> found.group(1),
                found ->
                    tag.matcher(found.group(2))
                        .results()
                        .map((MatchResult t) -> t.group(1))
                        .collect(Collectors.toCollection(TreeSet::new))));
  }
}
