package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The server's parameters: those a caller has asked for, and those that nobody may change. All are
 * given on the command line, where they win over whatever is in files or set by SQL for the server
 * as a whole.
 *
 * @param wanted what the caller has asked for
 */
record ServerParameters(Map<String, String> wanted) {

  private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]*(\\.[a-z_][a-z0-9_]*)?");

  /** What keeps committed data and keeps strangers out. */
  private static final Map<String, String> SAFE =
      ordered(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "listen_addresses", "127.0.0.1",
          "unix_socket_directories", "",
          "password_encryption", "scram-sha-256",
          "logging_collector", "off",
          "log_destination", "stderr");

  /**
   * Beside those of {@link #SAFE}: what says where the server is found and which files it takes.
   */
  private static final List<String> OURS =
      List.of(
          "port",
          "cluster_name",
          "config_file",
          "data_directory",
          "external_pid_file",
          "hba_file",
          "ident_file");

  ServerParameters {
    wanted.forEach(ServerParameters::check);
    wanted = new LinkedHashMap<>(wanted);
  }

  private static void check(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "setting " + name + " is no name of a parameter; write it like max_connections");
    }
    if (name.equals("port")) {
      throw new IllegalArgumentException("setting port cannot be used; use port(" + value + ")");
    }
    if (SAFE.containsKey(name) || OURS.contains(name)) {
      throw new IllegalArgumentException(
          "setting "
              + name
              + " cannot be changed (to "
              + value
              + "): an embedded server is durable, reached by loopback only and kept in its folder;"
              + " leave it out, or use a server of your own");
    }
    if (value.chars().anyMatch(c -> c < ' ')) {
      throw new IllegalArgumentException(
          "setting " + name + " has a line break or another control character in its value");
    }
  }

  /** Returns the options that the server is started with, for a shell to take apart. */
  String options(int port, String clusterName) {
    Map<String, String> all = new LinkedHashMap<>(wanted);
    all.putAll(SAFE);
    all.put("port", Integer.toString(port));
    all.put("cluster_name", clusterName);
    return all.entrySet().stream()
        .map(setting -> "-c " + Commands.quoted(setting.getKey() + "=" + setting.getValue()))
        .collect(Collectors.joining(" "));
  }

  /** Returns the first setting that a running server was not started with. */
  Optional<String> missingFrom(ServerFolder folder) throws IOException {
    Path file = folder.data().resolve("postmaster.opts");
    String options = Files.exists(file) ? Files.readString(file) : "";
    Map<String, String> all = new LinkedHashMap<>(wanted);
    all.putAll(SAFE);
    return all.entrySet().stream()
        .map(setting -> setting.getKey() + "=" + setting.getValue())
        .filter(setting -> !options.contains('"' + setting + '"'))
        .findFirst();
  }

  static String normalised(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static Map<String, String> ordered(String... namesAndValues) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }
}
