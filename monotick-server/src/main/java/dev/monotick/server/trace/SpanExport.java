package dev.monotick.server.trace;

import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ReplicaName;
import dev.monotick.server.setting.ServerSettings;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;

/** Sets up how spans get to the collector. */
final class SpanExport {

  private static final String USUAL_PATH = "/v1/traces";

  /** Some seconds of a busy server; what is more is dropped. */
  private static final int QUEUE = 16_384;

  private static final int BATCH = 1_024;
  private static final Duration DELAY = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private SpanExport() {}

  static OpenTelemetryTracing by(ServerSettings settings) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(endpoint(settings.get(PlatformSettings.TRACING_ENDPOINT)))
            .setTimeout(TIMEOUT)
            .setHeaders(() -> settings.get(PlatformSettings.TRACING_HEADERS))
            .setMeterProvider(MeterProvider::noop)
            .build();
    return new OpenTelemetryTracing(
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().merge(Resource.create(replica(settings))))
            .setSampler(
                // Whoever began a trace elsewhere has decided already.
                Sampler.parentBased(
                    Sampler.traceIdRatioBased(settings.get(PlatformSettings.TRACING_SAMPLE))))
            .addSpanProcessor(
                BatchSpanProcessor.builder(exporter)
                    .setMaxQueueSize(QUEUE)
                    .setMaxExportBatchSize(BATCH)
                    .setScheduleDelay(DELAY)
                    .setExporterTimeout(TIMEOUT)
                    .build())
            .build());
  }

  /** As OpenTelemetry has it: an address without a path is a collector's with the usual one. */
  private static String endpoint(String given) {
    String path = URI.create(given).getPath();
    return path.isEmpty() || path.equals("/") ? given.replaceAll("/$", "") + USUAL_PATH : given;
  }

  private static Attributes replica(ServerSettings settings) {
    String name = ReplicaName.of(settings);
    AttributesBuilder attributes =
        Attributes.builder()
            .put(SpanAttribute.SERVICE_NAME, "monotick-server")
            .put(SpanAttribute.SERVICE_INSTANCE, name)
            .put(SpanAttribute.REPLICA, name);
    String version = SpanExport.class.getPackage().getImplementationVersion();
    if (version != null) {
      attributes.put(SpanAttribute.SERVICE_VERSION, version);
    }
    return attributes.build();
  }
}
