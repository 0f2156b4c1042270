package dev.monotick.server.engine;

import dev.monotick.MonotickBuilder;
import dev.monotick.event.EventListener;
import dev.monotick.micrometer.MicrometerMetrics;
import dev.monotick.server.audit.EngineAudit;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.stereotype.Component;

/** Whoever wants to know what the engine does: metrics, audit, and listeners that are beans. */
@Component
class EngineObservers {

  private final EngineAudit audit;
  private final MicrometerMetrics metrics;
  private final CompletionHealth refused;
  private final List<EventListener> listeners;

  EngineObservers(
      EngineAudit audit,
      MeterRegistry registry,
      CompletionHealth refused,
      List<EventListener> listeners) {
    this.audit = audit;
    this.refused = refused;
    this.metrics = new MicrometerMetrics(registry);
    this.listeners = List.copyOf(listeners);
  }

  void addTo(MonotickBuilder builder) {
    builder.metrics(new EngineMetrics(metrics, audit::rescued, refused));
  }

  List<EventListener> listeners() {
    return listeners;
  }
}
