package dev.monotick.micrometer;

import dev.monotick.spi.metric.MetricSink.Completion;
import io.micrometer.core.instrument.Tags;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The meters of outcomes that the store refused to record. */
final class RefusedMeters {

  // Written on the engine's loop, read by whoever scrapes.
  private volatile int count;
  private volatile double since = Double.NaN;

  RefusedMeters(Meters meters, Completion of) {
    Tags tags = Tags.of("of", of.name().toLowerCase(Locale.ROOT));
    meters.gauge(
        "monotick.completions.refused",
        "outcomes that the store refused to record, kept and sent again",
        null,
        tags,
        () -> count);
    meters.gauge(
        "monotick.completions.refused.since",
        "since when outcomes are refused, in seconds since 1970; NaN if none is",
        "seconds",
        tags,
        () -> since);
  }

  void changed(int refused, @Nullable Instant first) {
    count = refused;
    since = first == null ? Double.NaN : first.toEpochMilli() / 1000.0;
  }
}
