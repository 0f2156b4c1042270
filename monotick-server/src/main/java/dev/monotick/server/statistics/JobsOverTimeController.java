package dev.monotick.server.statistics;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What happened to jobs over time, ready to be drawn. */
@RestController
@RequiresRole(Role.VIEWER)
@Tag(name = "statistics")
class JobsOverTimeController {

  private final JobsOverTime jobs;

  /**
   * What happened.
   *
   * @param tenant whose jobs
   * @param kind of which kind; null for all
   * @param queue of which queue; null for all
   * @param from beginning of the first point
   * @param to end of the last point
   * @param step from one point to the next
   * @param countedTo what happened before that is counted, unless its transaction is open still
   * @param total of all points
   * @param points one for each step, also where nothing happened
   */
  record OverTime(
      String tenant,
      @Nullable String kind,
      @Nullable String queue,
      Instant from,
      Instant to,
      String step,
      Instant countedTo,
      Total total,
      List<Point> points) {}

  /**
   * All together.
   *
   * @param counts how many
   * @param duration how long handlers ran
   * @param waiting how long jobs waited from when they were added until they began first
   */
  record Total(JobSums.Counts counts, Spread duration, Spread waiting) {

    static Total of(JobSums sums) {
      return new Total(sums.counts(), Spread.of(sums.runs()), Spread.of(sums.waits()));
    }
  }

  /**
   * One step.
   *
   * @param at when it began
   * @param counts how many
   * @param duration how long handlers ran
   * @param waiting how long jobs waited from when they were added until they began first
   */
  record Point(Instant at, JobSums.Counts counts, Spread duration, Spread waiting) {

    static Point of(Instant at, JobSums sums) {
      return new Point(at, sums.counts(), Spread.of(sums.runs()), Spread.of(sums.waits()));
    }
  }

  /**
   * How long something took, in seconds; zeros if there was nothing.
   *
   * @param count how often
   * @param sum all together
   * @param mean on average
   * @param p50 half of them took no longer, about
   * @param p95 of a hundred 95, about
   * @param p99 of a hundred 99, about
   * @param max the longest
   */
  record Spread(
      long count, double sum, double mean, double p50, double p95, double p99, double max) {

    static Spread of(JobSums.Lengths all) {
      return new Spread(
          all.count(),
          all.micros() / 1e6,
          all.count() == 0 ? 0 : Math.round((double) all.micros() / all.count()) / 1e6,
          quantile(all, 0.5),
          quantile(all, 0.95),
          quantile(all, 0.99),
          all.longest() / 1e6);
    }

    private static double quantile(JobSums.Lengths all, double share) {
      return Histogram.quantile(all.histogram(), share, all.longest()) / 1e6;
    }
  }

  JobsOverTimeController(JobsOverTime jobs) {
    this.jobs = jobs;
  }

  @GetMapping("/v1/statistics/jobs")
  @Operation(summary = "Get job statistics over time")
  OverTime get(
      Caller caller,
      @RequestParam Optional<String> from,
      @RequestParam Optional<String> to,
      @RequestParam Optional<String> step,
      @RequestParam Optional<String> kind,
      @RequestParam Optional<String> queue) {
    JobsOverTime.Span span = jobs.span(from, to, step);
    Instant counted = jobs.countedTo(); // before what is counted is read
    Map<Instant, JobSums> points =
        jobs.read(new JobsOverTime.Of(caller.tenant(), kind, queue), span);
    Duration by = span.step();
    return new OverTime(
        caller.tenant(),
        kind.orElse(null),
        queue.orElse(null),
        span.from(),
        span.to(),
        by.toString(),
        counted,
        Total.of(points.values().stream().reduce(JobSums.NONE, JobSums::plus)),
        points.entrySet().stream().map(each -> Point.of(each.getKey(), each.getValue())).toList());
  }
}
