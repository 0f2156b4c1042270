package dev.monotick.server.setting;

import static dev.monotick.server.setting.SettingParsers.duration;
import static dev.monotick.server.setting.SettingParsers.number;
import static dev.monotick.server.setting.SettingParsers.secret;
import static dev.monotick.server.setting.SettingParsers.text;
import static dev.monotick.server.setting.SettingParsers.yesNo;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that can be set, with what the parts of the server add; docs/operate/server.md lists them.
 */
public final class SettingCatalog {

  /** Where the server listens. */
  public static final Setting<Integer> PORT =
      number("monotick.server.port", 8080, 0, 65_535, "port of the REST API; 0 for a free one");

  /** The address it listens on. */
  public static final Setting<String> ADDRESS =
      text("monotick.server.address", "", "address to listen on; all if empty");

  /** The largest request. */
  public static final Setting<Integer> BODY_LIMIT =
      number(
          "monotick.server.body-limit", 2_097_152, 1024, 67_108_864, "largest request body, bytes");

  /** What people call this replica. */
  public static final Setting<String> REPLICA_NAME =
      text("monotick.replica.name", "", "name of this replica; host and process if empty");

  /** Where the database is. */
  public static final Setting<String> DATABASE_URL =
      text("monotick.database.url", "", "jdbc:postgresql://…; an embedded server if empty");

  /** Who connects. */
  public static final Setting<String> DATABASE_USERNAME =
      text("monotick.database.username", "", "role to connect as");

  /** His password. */
  public static final Setting<String> DATABASE_PASSWORD =
      secret("monotick.database.password", "password of that role");

  /** Where tables are. */
  public static final Setting<String> DATABASE_SCHEMA =
      text(
          "monotick.database.schema",
          "monotick",
          "schema of the engine; the control plane's tables are in the one with _server behind it");

  /** Connections of the REST API. */
  public static final Setting<Integer> DATABASE_CONNECTIONS =
      number("monotick.database.connections", 16, 2, 500, "most connections of the REST API");

  /** Whether commits are made durable. */
  public static final Setting<Boolean> DATABASE_DURABLE_COMMITS =
      yesNo(
          "monotick.database.durable-commits",
          true,
          "whether commits are on disk before they count, even where synchronous_commit is off; false"
              + " leaves that setting as it is");

  /** Where the embedded server keeps its data. */
  public static final Setting<String> DATA_FOLDER =
      text("monotick.data.folder", "monotick-data", "data of the embedded server");

  /** The first key. */
  public static final Setting<String> ADMIN_KEY =
      secret("monotick.admin.key", "first admin key; made and printed once if empty");

  /** How many jobs run at a time. */
  public static final Setting<Integer> WORKER_CONCURRENCY =
      number("monotick.worker.concurrency", 50, 1, 10_000, "jobs that this replica runs at a time");

  /** How long work may go on when the server stops. */
  public static final Setting<Duration> SHUTDOWN_GRACE =
      duration(
          "monotick.shutdown.grace",
          Duration.ofSeconds(20),
          Duration.ZERO,
          Duration.ofMinutes(10),
          "how long running work may go on at a stop");

  /** How leaders are found. */
  public static final Setting<String> LEADERSHIP =
      text(
          "monotick.leadership",
          "elected",
          "elected, or single-replica: no election, and a second replica is refused");

  /** How long a lease lasts. */
  public static final Setting<String> LEASE_DURATION =
      text(
          "monotick.lease.duration", "", "how long a leader's lease lasts; by the way of election");

  /** How often it is renewed. */
  public static final Setting<String> LEASE_RENEW_INTERVAL =
      text("monotick.lease.renew-interval", "", "how often a lease is renewed");

  /** How long a renewal may take. */
  public static final Setting<String> LEASE_RENEW_TIMEOUT =
      text("monotick.lease.renew-timeout", "", "how long one renewal may take");

  /** How much earlier than it must a leader stops. */
  public static final Setting<String> LEASE_MARGIN =
      text("monotick.lease.margin", "", "how much earlier than its lease ends a leader stops");

  /** How often a replica tells of itself. */
  public static final Setting<Duration> REPLICA_VIEW_INTERVAL =
      duration(
          "monotick.replica.view-interval",
          Duration.ofSeconds(2),
          Duration.ofMillis(200),
          Duration.ofMinutes(1),
          "how often a replica publishes its view for the other replicas");

  /** How often a replica looks for orders. */
  public static final Setting<Duration> REPLICA_COMMANDS_INTERVAL =
      duration(
          "monotick.replica.commands-interval",
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMinutes(1),
          "how often a replica polls for commands to it");

  /** Everything. */
  public static final List<Setting<?>> ALL =
      Stream.of(
              List.of(
                  PORT,
                  ADDRESS,
                  BODY_LIMIT,
                  REPLICA_NAME,
                  DATABASE_URL,
                  DATABASE_USERNAME,
                  DATABASE_PASSWORD,
                  DATABASE_SCHEMA,
                  DATABASE_CONNECTIONS,
                  DATABASE_DURABLE_COMMITS,
                  DATA_FOLDER,
                  ADMIN_KEY,
                  WORKER_CONCURRENCY,
                  SHUTDOWN_GRACE,
                  LEADERSHIP,
                  LEASE_DURATION,
                  LEASE_RENEW_INTERVAL,
                  LEASE_RENEW_TIMEOUT,
                  LEASE_MARGIN,
                  REPLICA_VIEW_INTERVAL,
                  REPLICA_COMMANDS_INTERVAL),
              ScheduleSettings.ALL,
              JobSettings.ALL,
              PlatformSettings.ALL,
              ExecutionSettings.ALL)
          .<Setting<?>>flatMap(List::stream)
          .toList();

  private SettingCatalog() {}
}
