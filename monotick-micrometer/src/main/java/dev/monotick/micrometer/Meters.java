package dev.monotick.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes meters, and remembers which, so that they can be taken out again. */
final class Meters {

  private final MeterRegistry registry;
  private final Tags common;
  private final Queue<Meter> made = new ConcurrentLinkedQueue<>();

  Meters(MeterRegistry registry, Tags common) {
    this.registry = requireNonNull(registry, "registry");
    this.common = requireNonNull(common, "tags");
  }

  Counter counter(String name, String description, Tags tags) {
    return remember(
        Counter.builder(name).description(description).tags(common.and(tags)).register(registry));
  }

  Timer timer(String name, String description, Tags tags) {
    return remember(
        Timer.builder(name).description(description).tags(common.and(tags)).register(registry));
  }

  void gauge(
      String name, String description, @Nullable String unit, Tags tags, Supplier<Number> value) {
    // A supplier is held strongly; a state object would vanish and leave NaN behind.
    Gauge unused =
        remember(
            Gauge.builder(name, value)
                .description(description)
                .baseUnit(unit)
                .tags(common.and(tags))
                .register(registry));
  }

  void close() {
    for (Meter meter = made.poll(); meter != null; meter = made.poll()) {
      registry.remove(meter);
    }
  }

  private <M extends Meter> M remember(M meter) {
    made.add(meter);
    return meter;
  }
}
