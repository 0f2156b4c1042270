package dev.monotick.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The meters of one kind of job, all made at once. */
final class JobMeters {

  static final List<String> ENDS =
      List.of("Succeeded", "Retried", "Snoozed", "Died", "Discarded", "HandedBack", "Lost");

  private final Map<String, Timer> runs = new HashMap<>();
  private final Counter refused;

  JobMeters(Meters meters, String kind) {
    Tags tags = Tags.of("kind", kind);
    for (String end : ENDS) {
      runs.put(
          end,
          meters.timer("monotick.job.runs", "runs of jobs that ended", tags.and("outcome", end)));
    }
    refused =
        meters.counter(
            "monotick.job.completions.stale",
            "completions of runs that this replica no longer held",
            tags);
  }

  void ended(String end, Duration took) {
    Timer timer = runs.get(end);
    if (timer != null) { // each end has one
      timer.record(took);
    }
  }

  void refused() {
    refused.increment();
  }
}
