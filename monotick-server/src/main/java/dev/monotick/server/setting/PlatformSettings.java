package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.duration;

import java.time.Duration;
import java.util.List;

/** What can be set about requests, audit, limits and the like. */
public final class PlatformSettings {

  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEARS = Duration.ofDays(36_500);

  /** How long answers to idempotent requests are kept. */
  public static final Setting<Duration> IDEMPOTENCY_RETENTION =
      duration(
          "monotick.idempotency.retention",
          Duration.ofHours(24),
          Duration.ofMinutes(5),
          Duration.ofDays(366),
          "how long an Idempotency-Key is remembered");

  /** How often they are looked at. */
  public static final Setting<Duration> IDEMPOTENCY_CLEANUP_INTERVAL =
      duration(
          "monotick.idempotency.cleanup-interval",
          Duration.ofMinutes(10),
          LEAST,
          DAY,
          "how often old Idempotency-Keys are forgotten");

  /** How often chains are verified from where the last look ended. */
  public static final Setting<Duration> AUDIT_VERIFICATION_INTERVAL =
      duration(
          "monotick.audit.verification-interval",
          Duration.ofMinutes(5),
          LEAST,
          DAY,
          "how often new audit events are verified");

  /** How often chains are verified from their beginning. */
  public static final Setting<Duration> AUDIT_FULL_VERIFICATION_INTERVAL =
      duration(
          "monotick.audit.full-verification-interval",
          DAY,
          LEAST,
          Duration.ofDays(366),
          "how often all of the audit is verified");

  /** How long audit events are kept. */
  public static final Setting<Duration> AUDIT_RETENTION =
      duration(
          "monotick.audit.retention",
          Duration.ofDays(400),
          DAY,
          YEARS,
          "how long audit events are kept; only verified ones are removed");

  /** How often old audit events are removed. */
  public static final Setting<Duration> AUDIT_RETENTION_INTERVAL =
      duration(
          "monotick.audit.retention-interval",
          Duration.ofHours(1),
          LEAST,
          DAY,
          "how often old audit events are removed");

  /** How often what the engine tells is appended. */
  public static final Setting<Duration> AUDIT_ENGINE_INTERVAL =
      duration(
          "monotick.audit.engine-interval",
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMinutes(1),
          "how often retries, leadership and the like are put on record");

  /** All of them. */
  static final List<Setting<?>> ALL =
      List.of(
          IDEMPOTENCY_RETENTION,
          IDEMPOTENCY_CLEANUP_INTERVAL,
          AUDIT_VERIFICATION_INTERVAL,
          AUDIT_FULL_VERIFICATION_INTERVAL,
          AUDIT_RETENTION,
          AUDIT_RETENTION_INTERVAL,
          AUDIT_ENGINE_INTERVAL);

  private PlatformSettings() {}
}
