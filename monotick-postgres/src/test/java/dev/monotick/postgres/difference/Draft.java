package dev.monotick.postgres.difference;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A job that a test adds.
 *
 * @param label what the test calls it; also its payload
 * @param lane place of its lane in {@link Side#LANES}
 * @param delay zero for at once
 * @param deadline how long after it is added
 * @param unique its unique key, which is kept for the window
 */
record Draft(
    String label,
    int lane,
    Duration delay,
    int maxAttempts,
    boolean atMostOnce,
    Optional<Duration> deadline,
    Optional<Duration> approval,
    Optional<String> unique,
    Optional<Duration> window,
    Optional<String> limitKey) {

  JobRules rules(Instant now) {
    return new JobRules(
        maxAttempts,
        Duration.ofMinutes(1),
        deadline.map(now::plus),
        atMostOnce ? Effect.AT_MOST_ONCE : Effect.AT_LEAST_ONCE,
        approval);
  }

  JobDraft draft(Instant now) {
    return new JobDraft(
        Side.LANES.get(lane),
        1,
        label.getBytes(UTF_8),
        new JobStart(delay, Optional.empty()),
        rules(now),
        unique.map(key -> new UniqueKey(key, window)),
        limitKey,
        Map.of("label", label));
  }

  @Override
  public String toString() {
    return label
        + " in "
        + Side.LANES.get(lane)
        + (delay.isZero() ? "" : " delay=" + delay)
        + (maxAttempts == 1 ? " maxAttempts=1" : "")
        + (atMostOnce ? " AT_MOST_ONCE" : "")
        + deadline.map(value -> " deadline=" + value).orElse("")
        + approval.map(value -> " approval=" + value).orElse("")
        + unique.map(value -> " unique=" + value).orElse("")
        + window.map(value -> " window=" + value).orElse("")
        + limitKey.map(value -> " limitKey=" + value).orElse("");
  }
}
