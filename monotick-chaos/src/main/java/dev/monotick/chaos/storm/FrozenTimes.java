package dev.monotick.chaos.storm;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.process.StallWatch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When processes provably stood still, by what a journal tells: from a signal that stopped them to
 * the one that let them go on, or by a thread of theirs that was not scheduled. Two more are
 * excuses for a handler that begins late, and documented as such: a clock that runs faster or
 * slower than allowed, and the end of all sessions of a living process, which looks like its death
 * until its next heartbeat.
 */
final class FrozenTimes {

  /** Heartbeat interval and time-out of the leases used here, and some. */
  private static final Duration NOTICED = Duration.ofSeconds(2);

  /** The promise is about rates that differ by less than a tenth. */
  private static final double LARGEST_DEVIATION = 0.0495;

  private final List<Frozen> all = new ArrayList<>();

  private record Frozen(String source, String why, long from, long until) {}

  private FrozenTimes() {}

  static FrozenTimes of(List<Journal.Entry> journal) {
    FrozenTimes times = new FrozenTimes();
    Map<String, Long> stopped = new HashMap<>();
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "pause", "starve" -> stopped.putIfAbsent(event.get("whom"), event.nanos());
        case "resume", "starved" -> {
          Long since = stopped.remove(event.get("whom"));
          if (since != null) {
            times.add(event.get("whom"), "stopped", since, event.nanos());
          }
        }
        case StallWatch.KIND -> times.add(entry.source(), "stalled", since(event), event.nanos());
        case "reset", "terminate" ->
            times.add(
                event.get("whom"),
                "sessions ended",
                event.nanos(),
                event.nanos() + NOTICED.toNanos());
        case "started" -> {
          double rate = event.find("rate").map(Double::parseDouble).orElse(1.0);
          if (Math.abs(rate - 1) > LARGEST_DEVIATION) {
            times.add(entry.source(), "clock rate", event.nanos(), Long.MAX_VALUE);
          }
        }
        default -> {}
      }
    }
    stopped.forEach((whom, since) -> times.add(whom, "stopped", since, Long.MAX_VALUE));
    return times;
  }

  private static long since(HistoryEvent event) {
    return Long.parseLong(event.get("since"));
  }

  private void add(String source, String why, long from, long until) {
    all.add(new Frozen(source, why, from, until));
  }

  /** Writes them into the table of the rules. */
  void write(Connection connection, WallClock clock) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into watch.frozen (replica, why, from_at, until_at)"
                + " values (?, ?, ?, coalesce(?, 'infinity'))")) {
      for (Frozen one : all) {
        insert.setString(1, one.source());
        insert.setString(2, one.why());
        insert.setObject(3, time(clock, one.from()));
        insert.setObject(4, one.until() == Long.MAX_VALUE ? null : time(clock, one.until()));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private static OffsetDateTime time(WallClock clock, long nanos) {
    return OffsetDateTime.ofInstant(clock.at(nanos), ZoneOffset.UTC);
  }
}
