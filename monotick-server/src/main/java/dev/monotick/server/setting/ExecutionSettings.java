package dev.monotick.server.setting;

import static dev.monotick.server.setting.SettingParsers.duration;
import static dev.monotick.server.setting.SettingParsers.number;
import static dev.monotick.server.setting.SettingParsers.secret;
import static dev.monotick.server.setting.SettingParsers.text;
import static dev.monotick.server.setting.SettingParsers.yesNo;

import java.time.Duration;
import java.util.List;

/** What can be set about how jobs are run. */
public final class ExecutionSettings {

  /** Whether outgoing calls may go to this machine and private networks. */
  public static final Setting<Boolean> HTTP_PRIVATE =
      yesNo("monotick.http.allow-private", false, "whether HTTP jobs may call private addresses");

  /** Where outgoing calls may go though it is private. */
  public static final Setting<String> HTTP_ALLOW =
      text(
          "monotick.http.allow",
          "",
          "hosts, *.domains, addresses and CIDR ranges that HTTP jobs may call though they are"
              + " private, with commas between them");

  /** How long one call may take, from the name's lookup to the last byte. */
  public static final Setting<Duration> HTTP_TIMEOUT =
      duration(
          "monotick.http.timeout",
          Duration.ofSeconds(30),
          Duration.ofMillis(100),
          Duration.ofHours(1),
          "the longest that a call of an HTTP job may take");

  /** How long it may take until a connection stands. */
  public static final Setting<Duration> HTTP_CONNECT_TIMEOUT =
      duration(
          "monotick.http.connect-timeout",
          Duration.ofSeconds(5),
          Duration.ofMillis(50),
          Duration.ofMinutes(2),
          "how long an HTTP job waits for a connection");

  /** How much of an answer is read. */
  public static final Setting<Integer> HTTP_RESPONSE_LIMIT =
      number(
          "monotick.http.response-limit",
          65_536,
          0,
          131_072,
          "bytes of an answer that are read and kept; the rest is cut");

  /** How many redirects are followed. */
  public static final Setting<Integer> HTTP_REDIRECTS =
      number("monotick.http.redirects", 3, 0, 10, "redirects that an HTTP job follows");

  /** Where others reach this installation. */
  public static final Setting<String> PUBLIC_URL =
      text(
          "monotick.public.url",
          "",
          "address under which called services reach this installation, for callbacks");

  /** How long a called service may take until it calls back. */
  public static final Setting<Duration> CALLBACK_TIMEOUT =
      duration(
          "monotick.callback.timeout",
          Duration.ofHours(1),
          Duration.ofSeconds(1),
          Duration.ofDays(30),
          "how long a callback is waited for if the call does not say");

  /** What encrypts the secrets of tenants. */
  public static final Setting<String> SECRET_KEY =
      secret(
          "monotick.secret.key",
          "32 bytes in base64 that encrypt secrets; after a rotation the new key, a comma, and the"
              + " old ones");

  /** How often work elsewhere is looked after. */
  public static final Setting<Duration> REMOTE_INTERVAL =
      duration(
          "monotick.remote.interval",
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMinutes(1),
          "how often remote work is checked");

  /** How long it is remembered what work elsewhere came to. */
  public static final Setting<Duration> REMOTE_RETENTION =
      duration(
          "monotick.remote.retention",
          Duration.ofDays(7),
          Duration.ofSeconds(10),
          Duration.ofDays(366),
          "how long work that ended elsewhere is remembered");

  /** When an agent is taken for gone. */
  public static final Setting<Duration> AGENT_SILENCE =
      duration(
          "monotick.agents.silence",
          Duration.ofSeconds(90),
          Duration.ofSeconds(1),
          Duration.ofDays(1),
          "how long an agent may be silent before it is Offline and its work handed on");

  /** How long an agent has work without saying that it still does. */
  public static final Setting<Duration> AGENT_LEASE =
      duration(
          "monotick.agents.lease",
          Duration.ofSeconds(60),
          Duration.ofSeconds(1),
          Duration.ofHours(1),
          "how long a lease of an agent lasts unless it is renewed");

  /** How often agents are looked after. */
  public static final Setting<Duration> AGENT_HEALTH_INTERVAL =
      duration(
          "monotick.agents.health-interval",
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          Duration.ofMinutes(5),
          "how often silent agents and expired leases are detected");

  /** How often a replica looks for work for the agents that wait at it. */
  public static final Setting<Duration> AGENT_POLL_INTERVAL =
      duration(
          "monotick.agents.poll-interval",
          Duration.ofMillis(250),
          Duration.ofMillis(20),
          Duration.ofSeconds(10),
          "how often a replica polls for work for its waiting agents");

  /** How often work may be lost with its agent. */
  public static final Setting<Integer> AGENT_LOSSES =
      number(
          "monotick.agents.losses",
          3,
          1,
          100,
          "how often work may be lost with its agent before the attempt has failed");

  /** How long work waits for an agent. */
  public static final Setting<Duration> AGENT_PICKUP =
      duration(
          "monotick.agents.pickup",
          Duration.ofDays(1),
          Duration.ofSeconds(1),
          Duration.ofDays(30),
          "how long work waits for an agent before the attempt has failed");

  /** Whether this server runs commands itself. */
  public static final Setting<Boolean> COMMAND_ENABLED =
      yesNo("monotick.command.enabled", false, "whether jobs may run commands on this server");

  /** Which commands. */
  public static final Setting<String> COMMAND_ALLOW =
      text(
          "monotick.command.allow",
          "",
          "commands that jobs may run on this server: name=/path/to/it, with commas between them");

  /** How much of a command's output is kept. */
  public static final Setting<Integer> COMMAND_OUTPUT_LIMIT =
      number(
          "monotick.command.output-limit",
          65_536,
          0,
          131_072,
          "bytes of a command's output that are kept");

  /** All of them. */
  static final List<Setting<?>> ALL =
      List.of(
          HTTP_PRIVATE,
          HTTP_ALLOW,
          HTTP_TIMEOUT,
          HTTP_CONNECT_TIMEOUT,
          HTTP_RESPONSE_LIMIT,
          HTTP_REDIRECTS,
          PUBLIC_URL,
          CALLBACK_TIMEOUT,
          SECRET_KEY,
          REMOTE_INTERVAL,
          REMOTE_RETENTION,
          AGENT_SILENCE,
          AGENT_LEASE,
          AGENT_HEALTH_INTERVAL,
          AGENT_POLL_INTERVAL,
          AGENT_LOSSES,
          AGENT_PICKUP,
          COMMAND_ENABLED,
          COMMAND_ALLOW,
          COMMAND_OUTPUT_LIMIT);

  private ExecutionSettings() {}
}
