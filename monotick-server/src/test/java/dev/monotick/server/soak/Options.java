package dev.monotick.server.soak;

import java.util.Map;
import java.util.TreeMap;

/**
 * What the soak is asked to do.
 *
 * @param replicas server processes
 * @param schedules schedules, due every second to every five seconds
 * @param seconds how long ticks are watched
 * @param freeze how long a replica is frozen, in seconds
 */
record Options(int replicas, int schedules, int seconds, int freeze) {

  static final String USAGE =
      """
      usage: scripts/soak-server [--replicas N] [--schedules N] [--seconds N] [--freeze N]

      Starts N (3) server processes on one PostgreSQL with 1000 schedules that are due every second
      to every five seconds. One process is killed and started again, another frozen for 15 seconds.
      Then every tick of the 120 seconds must be in the ledger once, and must have been called for
      under one idempotency key. Ends with status 0 if so.
      """;

  static Options parse(String[] arguments) {
    Map<String, Integer> given = new TreeMap<>();
    given.put("--replicas", 3);
    given.put("--schedules", 1_000);
    given.put("--seconds", 120);
    given.put("--freeze", 15);
    for (int i = 0; i < arguments.length; i += 2) {
      if (!given.containsKey(arguments[i]) || i + 1 == arguments.length) {
        throw new IllegalArgumentException("unknown or incomplete: " + arguments[i] + "\n" + USAGE);
      }
      given.put(arguments[i], Integer.parseInt(arguments[i + 1]));
    }
    Options options =
        new Options(
            given.getOrDefault("--replicas", 0),
            given.getOrDefault("--schedules", 0),
            given.getOrDefault("--seconds", 0),
            given.getOrDefault("--freeze", 0));
    if (options.replicas < 2 || options.schedules < 1 || options.seconds < 4 * options.freeze) {
      throw new IllegalArgumentException(
          "at least 2 replicas, 1 schedule, and 4 times as many seconds as it freezes\n" + USAGE);
    }
    return options;
  }
}
