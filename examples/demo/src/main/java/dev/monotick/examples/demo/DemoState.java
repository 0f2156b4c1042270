package dev.monotick.examples.demo;

import dev.monotick.MonotickBuilder;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The cluster with its witnesses, and the view of them all. Thread-safe. */
final class DemoState {

  private final TimeSource time;
  private final EffectCounter effects = new EffectCounter();
  private final Outbox outbox = new Outbox();
  private final MetricTotals tally = new MetricTotals();
  private final EventLog log;
  private final DemoCluster cluster;
  private final long startedAt;

  DemoState(
      TimeSource time,
      ZoneId zone,
      UnaryOperator<MonotickBuilder> setUp,
      Consumer<String> follower) {
    this.time = time;
    this.startedAt = time.nanos();
    this.log = new EventLog(time::now, zone, follower);
    this.cluster =
        new DemoCluster(
            time,
            builder -> setUp.apply(builder.metrics(tally)),
            new DemoTasks(effects, outbox).all(),
            log,
            new Narrator(log, time.ticker()));
  }

  DemoCluster cluster() {
    return cluster;
  }

  EventLog log() {
    return log;
  }

  Duration uptime() {
    return Duration.ofNanos(time.nanos() - startedAt);
  }

  ClusterView view() {
    List<DemoReplica> replicas = cluster.replicas();
    // In this order, so that whatever happens meanwhile counts as due before it counts as done.
    List<TaskStatus> statuses =
        replicas.stream()
            .filter(replica -> !replica.isCut())
            .flatMap(replica -> replica.tasks().stream())
            .toList();
    ClusterView.Proof done = proof(Instant.MIN);
    Instant now = time.now();
    ClusterView.Proof due = proof(now);
    return new ClusterView(
        uptime(),
        replicas.stream().map(DemoReplica::row).toList(),
        DemoTasks.ROWS.stream().map(row -> row(row, statuses, now)).toList(),
        new ClusterView.Proof(due.due(), done.ran(), done.notRun(), due.duplicates()),
        outbox.figures(),
        log.lines());
  }

  private ClusterView.Proof proof(Instant now) {
    long due = 0;
    long ran = 0;
    long notRun = 0;
    long duplicates = 0;
    for (DemoTasks.Row task : DemoTasks.ROWS) {
      EffectCounter.Seen seen = effects.of(task.name());
      if (seen != null) {
        duplicates += seen.duplicates();
        if (task.mode().isExclusive()) {
          notRun += tally.of(task.name()).notRun();
          ran += seen.distinct();
          due += ticksFrom(seen.first(), now, task.period());
        }
      }
    }
    return new ClusterView.Proof(due, ran, notRun, duplicates);
  }

  /** Counts nominal times by plain arithmetic, on purpose without asking any engine. */
  private static long ticksFrom(Instant first, Instant now, Duration period) {
    return now.isBefore(first) ? 0 : Duration.between(first, now).dividedBy(period) + 1;
  }

  private ClusterView.TaskRow row(DemoTasks.Row task, List<TaskStatus> all, Instant now) {
    List<TaskStatus> statuses = all.stream().filter(s -> s.name().equals(task.name())).toList();
    MetricTotals.Figures figures = tally.of(task.name());
    EffectCounter.Seen seen = effects.of(task.name());
    return new ClusterView.TaskRow(
        task.name(),
        task.mode(),
        next(statuses, now),
        last(task, statuses, figures, now),
        seen == null ? "-" : ranOn(seen),
        figures.runs(),
        figures.refused());
  }

  private static @Nullable Duration next(List<TaskStatus> statuses, Instant now) {
    return statuses.stream()
        .map(TaskStatus::next)
        .filter(Objects::nonNull)
        .filter(nominal -> !nominal.isBefore(now))
        .min(Instant::compareTo)
        .map(nominal -> Duration.between(now, nominal))
        .orElse(null);
  }

  private static String last(
      DemoTasks.Row task, List<TaskStatus> statuses, MetricTotals.Figures figures, Instant now) {
    if (task.mode().isExclusive() && statuses.stream().anyMatch(s -> s.running() > 0)) {
      return figures.lastOutcome().startsWith("SKIPPED") ? figures.lastOutcome() : "running";
    }
    boolean backsOff =
        statuses.stream()
            .map(TaskStatus::backoffUntil)
            .anyMatch(until -> until != null && until.isAfter(now));
    return backsOff ? "FAILED, backoff" : figures.lastOutcome();
  }

  private static String ranOn(EffectCounter.Seen seen) {
    return seen.replicas().size() == 1
        ? seen.replicas().iterator().next()
        : seen.replicas().size() + " replicas";
  }
}
