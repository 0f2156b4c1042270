package dev.monotick.server.setting;

import static dev.monotick.server.setting.SettingParsers.address;
import static dev.monotick.server.setting.SettingParsers.duration;
import static dev.monotick.server.setting.SettingParsers.limit;
import static dev.monotick.server.setting.SettingParsers.number;
import static dev.monotick.server.setting.SettingParsers.rate;
import static dev.monotick.server.setting.SettingParsers.secrets;
import static dev.monotick.server.setting.SettingParsers.share;
import static dev.monotick.server.setting.SettingParsers.text;
import static dev.monotick.server.setting.SettingParsers.word;
import static dev.monotick.server.setting.SettingParsers.yesNo;

import java.time.Duration;
import java.util.List;
import java.util.Map;

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
          "how often engine events such as retries and changes of leadership are written to the audit");

  /** How many requests that look, per key. */
  public static final Setting<Rate> RATE_KEY_READ =
      rate("monotick.rate-limit.key.read", "3000/s", "requests that look, per key");

  /** How many requests that change, per key. */
  public static final Setting<Rate> RATE_KEY_WRITE =
      rate("monotick.rate-limit.key.write", "3000/s", "requests that change, per key");

  /** How many requests that add or trigger, per key. */
  public static final Setting<Rate> RATE_KEY_CREATE =
      rate("monotick.rate-limit.key.create", "3000/s", "requests that add or trigger, per key");

  /** How many requests that look, per tenant. */
  public static final Setting<Rate> RATE_TENANT_READ =
      rate("monotick.rate-limit.tenant.read", "6000/s", "requests that look, per tenant");

  /** How many requests that change, per tenant. */
  public static final Setting<Rate> RATE_TENANT_WRITE =
      rate("monotick.rate-limit.tenant.write", "6000/s", "requests that change, per tenant");

  /** How many requests that add or trigger, per tenant. */
  public static final Setting<Rate> RATE_TENANT_CREATE =
      rate(
          "monotick.rate-limit.tenant.create",
          "6000/s",
          "requests that add or trigger, per tenant");

  /** What happens while nobody can count. */
  public static final Setting<CounterOutage> RATE_LIMIT_ON_OUTAGE =
      word(
          "monotick.rate-limit.on-outage",
          CounterOutage.OPEN,
          CounterOutage.class,
          "whether requests are accepted while the database that counts them is unavailable");

  /** How often buckets that are full are forgotten. */
  public static final Setting<Duration> RATE_LIMIT_CLEANUP_INTERVAL =
      duration(
          "monotick.rate-limit.cleanup-interval",
          Duration.ofMinutes(1),
          LEAST,
          DAY,
          "how often unused rate limits are deleted");

  /** How often somebody may give a wrong key. */
  public static final Setting<Long> AUTHENTICATION_FAILURES =
      limit(
          "monotick.authentication.failures",
          10,
          "wrong keys in a row from an address before it has to wait");

  /** Whose tokens are taken. */
  public static final Setting<String> OIDC_ISSUER =
      text(
          "monotick.oidc.issuer",
          "",
          "issuer whose tokens are taken beside API keys; none if empty");

  /** Where his keys are. */
  public static final Setting<String> OIDC_JWK_SET_URI =
      text(
          "monotick.oidc.jwk-set-uri",
          "",
          "where the issuer's keys are; found through the issuer if empty");

  /** For whom they must be. */
  public static final Setting<String> OIDC_AUDIENCE =
      text("monotick.oidc.audience", "monotick", "audience that a token must be for");

  /** What says the tenant. */
  public static final Setting<String> OIDC_TENANT_CLAIM =
      text(
          "monotick.oidc.tenant-claim",
          "tenant",
          "claim that says the tenant; * for the whole installation");

  /** What says the role. */
  public static final Setting<String> OIDC_ROLE_CLAIM =
      text("monotick.oidc.role-claim", "role", "claim that says the role");

  /** The certificate. */
  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "monotick.tls.certificate",
          "",
          "PEM file of the certificate and its chain; no TLS if empty");

  /** Its key. */
  public static final Setting<String> TLS_KEY =
      text("monotick.tls.key", "", "PEM file of the private key");

  /** Whether a proxy is believed. */
  public static final Setting<Boolean> FORWARDED_HEADERS =
      yesNo(
          "monotick.server.forwarded-headers",
          false,
          "whether X-Forwarded-* headers from proxies are trusted");

  /** Whether metrics are open. */
  public static final Setting<Boolean> PROMETHEUS_OPEN =
      yesNo("monotick.prometheus.open", false, "whether /prometheus needs no key");

  /** How log lines look. */
  public static final Setting<LogFormat> LOG_FORMAT =
      word("monotick.log.format", LogFormat.TEXT, LogFormat.class, "TEXT or JSON");

  /** How long a stop is announced. */
  public static final Setting<Duration> SHUTDOWN_ANNOUNCE =
      duration(
          "monotick.shutdown.announce",
          Duration.ZERO,
          Duration.ZERO,
          Duration.ofMinutes(5),
          "how long a replica says that it is not ready before it takes no more requests");

  /** How long there may be no leader. */
  public static final Setting<Duration> HEALTH_LEADERLESS =
      duration(
          "monotick.health.leaderless",
          Duration.ofSeconds(30),
          LEAST,
          DAY,
          "after how long without a leader the scheduler is not well");

  /** How late something may be. */
  public static final Setting<Duration> HEALTH_LATE =
      duration(
          "monotick.health.late",
          Duration.ofMinutes(1),
          LEAST,
          DAY,
          "how late a task or ready job may be before the scheduler is not well");

  /** How often figures are read. */
  public static final Setting<Duration> METRICS_INTERVAL =
      duration(
          "monotick.metrics.interval",
          Duration.ofSeconds(5),
          LEAST,
          Duration.ofMinutes(10),
          "how often figures of backlog, quotas and audit are read");

  /** How many may listen. */
  public static final Setting<Integer> EVENTS_CLIENTS =
      number("monotick.events.clients", 200, 1, 10_000, "most listeners to events on a replica");

  /** How often it is looked for news. */
  public static final Setting<Duration> EVENTS_INTERVAL =
      duration(
          "monotick.events.interval",
          Duration.ofMillis(250),
          Duration.ofMillis(50),
          Duration.ofMinutes(1),
          "how often a replica polls for new events");

  /** How often listeners hear something. */
  public static final Setting<Duration> EVENTS_HEARTBEAT =
      duration(
          "monotick.events.heartbeat",
          Duration.ofSeconds(15),
          LEAST,
          Duration.ofMinutes(10),
          "how often a heartbeat is sent to idle listeners");

  /** How long one may listen. */
  public static final Setting<Duration> EVENTS_LONGEST =
      duration(
          "monotick.events.longest",
          Duration.ofMinutes(15),
          LEAST,
          DAY,
          "after how long a listener has to connect anew");

  /** Who collects traces. */
  public static final Setting<String> TRACING_ENDPOINT =
      address(
          "monotick.tracing.endpoint",
          "http://collector:4318/v1/traces",
          "where traces are sent by OTLP over HTTP; no traces if empty");

  /** How many traces are told. */
  public static final Setting<Double> TRACING_SAMPLE =
      share(
          "monotick.tracing.sample",
          1,
          "share of the traces begun here that are sent, 0 to 1; 0 for none at all");

  /** What the collector wants to know of us. */
  public static final Setting<Map<String, String>> TRACING_HEADERS =
      secrets(
          "monotick.tracing.headers",
          "headers for the collector, such as a key: name=value, with commas between several");

  /** Which proxies are believed. */
  public static final Setting<String> TRUSTED_PROXIES =
      text(
          "monotick.server.trusted-proxies",
          "",
          "addresses and CIDR ranges of the proxies that are believed, with commas between them;"
              + " all private addresses if empty");

  /** All of them. */
  static final List<Setting<?>> ALL =
      List.of(
          IDEMPOTENCY_RETENTION,
          IDEMPOTENCY_CLEANUP_INTERVAL,
          AUDIT_VERIFICATION_INTERVAL,
          AUDIT_FULL_VERIFICATION_INTERVAL,
          AUDIT_RETENTION,
          AUDIT_RETENTION_INTERVAL,
          AUDIT_ENGINE_INTERVAL,
          RATE_KEY_READ,
          RATE_KEY_WRITE,
          RATE_KEY_CREATE,
          RATE_TENANT_READ,
          RATE_TENANT_WRITE,
          RATE_TENANT_CREATE,
          RATE_LIMIT_ON_OUTAGE,
          RATE_LIMIT_CLEANUP_INTERVAL,
          AUTHENTICATION_FAILURES,
          OIDC_ISSUER,
          OIDC_JWK_SET_URI,
          OIDC_AUDIENCE,
          OIDC_TENANT_CLAIM,
          OIDC_ROLE_CLAIM,
          TLS_CERTIFICATE,
          TLS_KEY,
          FORWARDED_HEADERS,
          PROMETHEUS_OPEN,
          LOG_FORMAT,
          SHUTDOWN_ANNOUNCE,
          HEALTH_LEADERLESS,
          HEALTH_LATE,
          METRICS_INTERVAL,
          EVENTS_CLIENTS,
          EVENTS_INTERVAL,
          EVENTS_HEARTBEAT,
          EVENTS_LONGEST,
          TRACING_ENDPOINT,
          TRACING_SAMPLE,
          TRACING_HEADERS,
          TRUSTED_PROXIES);

  private PlatformSettings() {}
}
