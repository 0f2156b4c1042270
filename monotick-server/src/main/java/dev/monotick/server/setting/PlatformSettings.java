package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.duration;

import java.time.Duration;
import java.util.List;

/** What can be set about requests, audit, limits and the like. */
public final class PlatformSettings {

  /** How long answers to idempotent requests are kept. */
  public static final Setting<Duration> IDEMPOTENCY_RETENTION =
      duration(
          "monotick.idempotency.retention",
          Duration.ofHours(24),
          Duration.ofMinutes(5),
          Duration.ofDays(366),
          "how long an Idempotency-Key is remembered");

  /** All of them. */
  static final List<Setting<?>> ALL = List.of(IDEMPOTENCY_RETENTION);

  private PlatformSettings() {}
}
