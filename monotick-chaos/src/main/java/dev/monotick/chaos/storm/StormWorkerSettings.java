package dev.monotick.chaos.storm;

import dev.monotick.spi.replica.LeaseTiming;
import java.time.Duration;
import java.util.List;

/**
 * What a worker process is told when it is started.
 *
 * @param name a new one for every start
 * @param url JDBC URL of the database
 * @param logUrl JDBC URL of the same database, for what handlers write down
 * @param user user there
 * @param password that user's password
 */
record StormWorkerSettings(String name, String url, String logUrl, String user, String password) {

  /** Of membership: a silent worker is gone after three seconds, half of the default. */
  static final LeaseTiming MEMBERSHIP =
      new LeaseTiming(
          Duration.ofSeconds(3),
          Duration.ofMillis(600),
          Duration.ofMillis(700),
          Duration.ofMillis(500));

  static final int CONCURRENCY = 16;

  List<String> toArguments() {
    return List.of(name, url, logUrl, user, password);
  }

  static StormWorkerSettings of(String[] arguments) {
    return new StormWorkerSettings(
        arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
  }
}
