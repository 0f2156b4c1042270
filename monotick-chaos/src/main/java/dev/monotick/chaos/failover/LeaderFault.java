package dev.monotick.chaos.failover;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What happens to the leader. */
enum LeaderFault {
  /** It is killed: SIGKILL. */
  CRASH(1, Duration.ofMillis(1200)),
  /** It is asked to stop, as in a rolling deployment. */
  GRACEFUL(1, Duration.ofMillis(100)),
  /** It is stopped in its tracks: SIGSTOP. */
  PAUSE(5, Duration.ofMillis(7200)),
  /** Nothing gets through between it and the database, in either direction; nobody is told. */
  PARTITION(5, Duration.ofMillis(7200));

  /** How many clusters are used at a time: more where most of the time is spent waiting. */
  final int parallel;

  /** How long a takeover may take with the advisory lease and its default timing. */
  final Duration aim;

  LeaderFault(int parallel, Duration aim) {
    this.parallel = parallel;
    this.aim = aim;
  }

  static Optional<LeaderFault> of(String text) {
    return Arrays.stream(values()).filter(fault -> fault.text().equals(text)).findFirst();
  }

  static String all() {
    return Arrays.stream(values()).map(LeaderFault::text).collect(Collectors.joining(", "));
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
