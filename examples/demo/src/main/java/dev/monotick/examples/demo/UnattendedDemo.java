package dev.monotick.examples.demo;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The demo without a terminal: prints the table now and then, and shows a takeover by itself.
 * Whoever runs it calls {@link #step} a few times per second.
 */
final class UnattendedDemo {

  /** When the leader is stopped. */
  static final Duration STOPS_LEADER_AFTER = Duration.ofSeconds(15);

  /** When it is started again. */
  static final Duration RESTARTS_AFTER = Duration.ofSeconds(25);

  private static final Duration TABLE_EVERY = Duration.ofSeconds(10);

  private final DemoState show;
  private final Consumer<String> out;
  private Duration nextTable = TABLE_EVERY;
  private boolean stopped;
  private boolean restarted;

  UnattendedDemo(DemoState show, Consumer<String> out) {
    this.show = show;
    this.out = out;
  }

  /** Does what is due by now. */
  void step() {
    Duration uptime = show.uptime();
    if (!stopped && uptime.compareTo(STOPS_LEADER_AFTER) >= 0) {
      stopped = true;
      show.cluster().stopLeader();
    }
    if (!restarted && uptime.compareTo(RESTARTS_AFTER) >= 0) {
      restarted = true;
      show.cluster().restart();
    }
    if (uptime.compareTo(nextTable) >= 0) {
      nextTable = nextTable.plus(TABLE_EVERY);
      printTable();
    }
  }

  /** Prints how things stand. */
  void printTable() {
    TruthTable table = new TruthTable(show.view(), TextStyle.PLAIN);
    StringBuilder text = new StringBuilder();
    table.replicas().forEach(line -> text.append(line).append('\n'));
    table.tasks().forEach(line -> text.append(line).append('\n'));
    text.append(String.join("\n", table.proof()));
    out.accept(text.toString());
  }
}
