package dev.monotick.engine.observe;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.thread.Result;
import dev.monotick.job.JobCount;
import dev.monotick.spi.replica.MemberInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds jobs of kinds that no live replica handles: a typing error in the name of a kind, or a
 * deployment that was forgotten. Logs each kind once while it lasts. Called on the loop.
 */
public final class UnhandledJobs {

  private static final Logger log = LoggerFactory.getLogger(UnhandledJobs.class);

  private static final Duration EVERY = Duration.ofSeconds(60);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private final EngineContext context;
  private final Supplier<List<JobCount>> counts;
  private final EngineTelemetry telemetry;
  private Set<String> suspected = Set.of();
  private Map<String, Long> known = Map.of();
  private long checkedAt;
  private boolean checked;
  private boolean checking;
  private boolean hasNoJobs; // the store keeps none

  public UnhandledJobs(
      EngineContext context, Supplier<List<JobCount>> counts, EngineTelemetry telemetry) {
    this.context = context;
    this.counts = counts;
    this.telemetry = telemetry;
  }

  /** Looks, if the last time was long enough ago. */
  public void checkPeriodically(Supplier<List<MemberInfo>> live) {
    long now = context.time().nanos();
    if (checking || hasNoJobs || (checked && now - checkedAt < EVERY.toNanos())) {
      return;
    }
    checking = true;
    checked = true;
    checkedAt = now;
    context
        .threads()
        .call("counting jobs", CALL_TIMEOUT, counts::get, result -> counted(result, live.get()));
  }

  private void counted(Result<List<JobCount>> result, List<MemberInfo> live) {
    checking = false;
    if (!result.isValue()) {
      hasNoJobs = result.failure() instanceof UnsupportedOperationException;
      return; // heartbeats tell that the store does not answer
    }
    if (live.isEmpty()) {
      return; // not known now
    }
    Map<String, Long> unhandled = new TreeMap<>();
    for (JobCount each : result.value()) {
      if (each.waiting() + each.ready() > 0) {
        unhandled.merge(each.lane().kind(), each.waiting() + each.ready(), Long::sum);
      }
    }
    live.forEach(each -> unhandled.keySet().removeAll(each.config().kinds()));
    // Twice in a row: a replica may have joined and added jobs since the last heartbeat.
    Set<String> twice = new HashSet<>(unhandled.keySet());
    twice.retainAll(suspected);
    suspected = Set.copyOf(unhandled.keySet());
    unhandled.keySet().retainAll(twice);
    publish(unhandled);
  }

  private void publish(Map<String, Long> unhandled) {
    Map<String, Long> before = known;
    known = new HashMap<>(unhandled);
    unhandled.forEach(
        (kind, jobs) -> {
          if (!before.containsKey(kind)) {
            log.warn(
                "no live replica handles jobs of kind={} jobs={}; start a replica with a handler"
                    + " for it, or cancel them",
                kind,
                jobs);
          }
          telemetry.metrics().jobsUnhandled(kind, jobs);
        });
    Set<String> over =
        before.keySet().stream()
            .filter(kind -> !unhandled.containsKey(kind))
            .collect(Collectors.toSet());
    over.forEach(
        kind -> {
          log.info("no job waits for a handler any more kind={}", kind);
          telemetry.metrics().jobsUnhandled(kind, 0);
        });
  }
}
