package dev.monotick.chaos.storm;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When all packets between a worker and the server were dropped, and what came of it. */
final class PacketLosses {

  /** Counts losses in which a worker was found gone and after which it joined again. */
  static final String REJOINED =
      """
      select count(*) from watch.loss l
       where exists (select from watch.member g join watch.member j on j.replica = g.replica
                      where g.replica = l.replica and not g.joined and g.at between l.from_at and l.until_at
                        and j.joined and j.at > g.at)
      """;

  /** Counts jobs that were handed to a worker and rescued from it. */
  static final String HANDED_AND_RESCUED =
      """
      select count(*) from watch.claim c join storm.job_attempt a on a.job_id = c.job and a.run = c.run
       where c.handed and a.outcome = 6
      """;

  /**
   * Counts jobs that were handed to a worker during its loss of packets, were rescued from it
   * before the loss was over, and then run by another. Their notices are the ones that could arrive
   * late.
   */
  static final String HANDED_DURING_LOSS =
      """
      select count(distinct c.job) from watch.claim c
        join storm.job_attempt a on a.job_id = c.job and a.run = c.run
        join watch.member m on m.id = a.replica and m.joined
        join watch.loss l on l.replica = m.replica
       where c.handed and a.outcome = 6 and c.at between l.from_at and l.until_at and a.ended_at between l.from_at and l.until_at
         and exists (select from watch.run r where r.job = c.job and r.run > c.run and r.word = 'begin'
                       and r.replica <> l.replica)
      """;

  private final List<Loss> all = new ArrayList<>();

  private record Loss(String source, long from, long until) {}

  private PacketLosses() {}

  static PacketLosses of(List<Journal.Entry> journal) {
    PacketLosses losses = new PacketLosses();
    Map<String, Long> since = new HashMap<>();
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      if (entry.is("loss")) {
        since.put(event.get("whom"), event.nanos());
      } else if (entry.is("healed")) {
        Long from = since.remove(event.get("whom"));
        if (from != null) {
          losses.all.add(new Loss(event.get("whom"), from, event.nanos()));
        }
      }
    }
    return losses;
  }

  /** Writes them into the table. */
  void write(Connection connection, WallClock clock) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into watch.loss (replica, from_at, until_at) values (?, ?, ?)")) {
      for (Loss one : all) {
        insert.setString(1, one.source());
        insert.setObject(2, OffsetDateTime.ofInstant(clock.at(one.from()), ZoneOffset.UTC));
        insert.setObject(3, OffsetDateTime.ofInstant(clock.at(one.until()), ZoneOffset.UTC));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
}
