package dev.monotick.chaos.replica;

import dev.monotick.spi.replica.LeaseTiming;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a replica process is told when it is started.
 *
 * @param name what it is called: a new name for every start
 * @param url JDBC URL of the database, as this replica reaches it
 * @param user user there
 * @param password that user's password
 * @param schema schema of the cluster
 * @param leadership how leaders are elected: a name that the store knows
 * @param portable whether the store must do without sessions
 * @param lease timing of leadership, empty for the default
 * @param membership timing of membership, empty for the default
 * @param sink where effects go
 * @param tasks names of the tasks it runs
 * @param traits what it does, as all others of its cluster
 * @param launch what it has for itself
 */
public record ReplicaProcessSettings(
    String name,
    String url,
    String user,
    String password,
    String schema,
    String leadership,
    boolean portable,
    Optional<LeaseTiming> lease,
    Optional<LeaseTiming> membership,
    InetSocketAddress sink,
    Set<String> tasks,
    ReplicaTraits traits,
    ReplicaLaunch launch) {

  /** Copies the names. */
  public ReplicaProcessSettings {
    tasks = Set.copyOf(tasks);
  }

  /** Returns the settings as arguments of a process. */
  public List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "name=" + name,
                "url=" + url,
                "user=" + user,
                "password=" + password,
                "schema=" + schema,
                "leadership=" + leadership,
                "portable=" + portable,
                "sink=" + sink.getAddress().getHostAddress() + ":" + sink.getPort(),
                "tasks=" + String.join(",", tasks),
                "period=" + traits.period(),
                "jobs=" + traits.jobs(),
                "unguarded=" + traits.unguarded(),
                "called=" + launch.called(),
                "rate=" + launch.rate(),
                "edition=" + launch.edition()));
    lease.ifPresent(timing -> arguments.add("lease=" + text(timing)));
    membership.ifPresent(timing -> arguments.add("membership=" + text(timing)));
    return arguments;
  }

  /** Returns the settings that arguments stand for. */
  static ReplicaProcessSettings of(String[] arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    String sink = need(values, "sink");
    int colon = sink.lastIndexOf(':');
    return new ReplicaProcessSettings(
        need(values, "name"),
        need(values, "url"),
        need(values, "user"),
        need(values, "password"),
        need(values, "schema"),
        need(values, "leadership"),
        Boolean.parseBoolean(need(values, "portable")),
        Optional.ofNullable(values.get("lease")).map(ReplicaProcessSettings::timing),
        Optional.ofNullable(values.get("membership")).map(ReplicaProcessSettings::timing),
        new InetSocketAddress(
            sink.substring(0, colon), Integer.parseInt(sink.substring(colon + 1))),
        Arrays.stream(need(values, "tasks").split(",", -1)).collect(Collectors.toSet()),
        new ReplicaTraits(
            Duration.parse(need(values, "period")),
            Boolean.parseBoolean(need(values, "jobs")),
            Boolean.parseBoolean(need(values, "unguarded"))),
        new ReplicaLaunch(
            need(values, "called"),
            Double.parseDouble(need(values, "rate")),
            Integer.parseInt(need(values, "edition"))));
  }

  private static String need(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("argument " + name + "=.. is missing");
    }
    return value;
  }

  private static String text(LeaseTiming timing) {
    return timing.leaseDuration()
        + ","
        + timing.renewInterval()
        + ","
        + timing.renewTimeout()
        + ","
        + timing.margin();
  }

  private static LeaseTiming timing(String text) {
    String[] parts = text.split(",", -1);
    return new LeaseTiming(
        Duration.parse(parts[0]),
        Duration.parse(parts[1]),
        Duration.parse(parts[2]),
        Duration.parse(parts[3]));
  }
}
