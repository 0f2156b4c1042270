package dev.monotick.server.statistics;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads sums. */
@Component
class JobsOverTime {

  static final int MOST_POINTS = 1_500;
  private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

  private final Sql sql;
  private final ServerSettings settings;
  private final TimeSource time;

  /** What somebody wants to see: whole steps, counted from the beginning of 1970. */
  record Span(Instant from, Instant to, Duration step) {}

  /** Of which jobs. */
  record Of(String tenant, Optional<String> kind, Optional<String> queue) {}

  JobsOverTime(Sql sql, ServerSettings settings, TimeSource time) {
    this.sql = sql;
    this.settings = settings;
    this.time = time;
  }

  /** Reads what was given; the last day by the hour if nothing was. */
  Span span(Optional<String> from, Optional<String> to, Optional<String> step) {
    Duration by =
        step.map(text -> RequestFields.duration("step", text)).orElse(Duration.ofHours(1));
    if (by.compareTo(Duration.ofMinutes(1)) < 0
        || by.compareTo(Duration.ofDays(366)) > 0
        || !by.equals(Duration.ofMinutes(by.toMinutes()))) {
      throw Problem.invalid("step", "step must be whole minutes, PT1M to P366D, but was " + by);
    }
    Instant end = to.map(text -> instant("to", text)).orElse(time.now());
    Instant begin = from.map(text -> instant("from", text)).orElse(end.minus(Duration.ofDays(1)));
    if (!begin.isBefore(end)) {
      throw Problem.invalid("from", "from must be before to, but was " + begin + " to " + end);
    }
    Instant first = startOfPeriod(begin, by);
    Instant last = startOfPeriod(end.minusNanos(1), by).plus(by);
    long points = Duration.between(first, last).dividedBy(by);
    if (points > MOST_POINTS) {
      throw Problem.invalid(
          "step",
          "from "
              + begin
              + " to "
              + end
              + " by "
              + by
              + " is "
              + points
              + " points, and at most "
              + MOST_POINTS
              + " are shown; take a longer step or a shorter time");
    }
    requireKept(begin, by);
    return new Span(first, last, by);
  }

  private static Instant instant(String field, String text) {
    Instant given = RequestFields.instant(field, text);
    if (given.isBefore(Instant.EPOCH) || given.isAfter(LAST)) {
      throw Problem.invalid(field, field + " must be between 1970 and 9999, but was " + given);
    }
    return given;
  }

  private static Instant startOfPeriod(Instant at, Duration step) {
    return Instant.ofEpochSecond(
        Math.floorDiv(at.getEpochSecond(), step.toSeconds()) * step.toSeconds());
  }

  /** Zeros for what is forgotten would be a lie. */
  private void requireKept(Instant from, Duration step) {
    SumResolution resolution = SumResolution.of(step);
    Duration kept = settings.get(resolution.kept());
    try {
      if (from.isBefore(time.now().minus(kept))) {
        throw Problem.invalid(
            "from",
            "from "
                + from
                + " by "
                + step
                + " needs sums of each "
                + resolution.name().toLowerCase(java.util.Locale.ROOT)
                + ", which are kept for "
                + kept
                + "; take a later from, or a step of whole hours or days");
      }
    } catch (DateTimeException | ArithmeticException e) {
      return; // kept since before time began
    }
  }

  /** Reads the sums of each step; those in which nothing happened are there too. */
  Map<Instant, JobSums> read(Of of, Span span) {
    Map<Instant, JobSums> points = new LinkedHashMap<>();
    for (Instant at = span.from(); at.isBefore(span.to()); at = at.plus(span.step())) {
      points.put(at, JobSums.NONE);
    }
    sql.of(
            """
            select extract(epoch from date_bin(
                     :step * interval '1 second', at, timestamptz '1970-01-01 00:00Z'))::bigint as bin,
                   sum(added) as added, sum(succeeded) as succeeded, sum(failed) as failed,
                   sum(retried) as retried, sum(dead) as dead, sum(cancelled) as cancelled,
                   sum(snoozed) as snoozed, sum(rescued) as rescued, sum(requeued) as requeued,
                   sum(ended) as ended, sum(runs) as runs, sum(run_micros) as run_micros,
                   max(run_longest) as run_longest, @histogram_sum(run_histogram) as run_histogram,
                   sum(starts) as starts, sum(wait_micros) as wait_micros,
                   max(wait_longest) as wait_longest,
                   @histogram_sum(wait_histogram) as wait_histogram
              from @job_statistic
             where tenant = :tenant and resolution = :resolution
               and at >= cast(:from as timestamptz) and at < cast(:to as timestamptz)
               and kind = coalesce(cast(:kind as text), kind)
               and queue = coalesce(cast(:queue as text), queue)
             group by 1
            """)
        .param("step", span.step().toSeconds())
        .param("tenant", of.tenant())
        .param("resolution", SumResolution.of(span.step()).name())
        .param("from", span.from().toString())
        .param("to", span.to().toString())
        .param("kind", of.kind().orElse(null))
        .param("queue", of.queue().orElse(null))
        .query(
            (row, number) ->
                Map.entry(Instant.ofEpochSecond(row.getLong("bin")), JobSums.read(row)))
        .list()
        .forEach(each -> points.put(each.getKey(), each.getValue()));
    return points;
  }

  /** Returns when the last look began: what was over by then is counted. */
  Instant countedTo() {
    return sql.of("select counted_at from @statistics_progress where one")
        .query((row, number) -> row.getTimestamp(1).toInstant())
        .single();
  }
}
