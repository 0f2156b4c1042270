package dev.monotick.postgres.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Begins terms of leaders that are elected elsewhere. Thread-safe. */
final class TermMint {

  private final String mint;
  private final String holds;

  TermMint(Database database, String timeline) {
    mint =
        database.sql(
            "insert into @fence as f (group_name, timeline, epoch) values (?, "
                + timeline
                + ", 1) on conflict (group_name) do update"
                + " set timeline = greatest(f.timeline, excluded.timeline), epoch = f.epoch + 1"
                + " returning timeline, epoch");
    // For people: nobody who is elected elsewhere asks this row.
    holds =
        database.sql(
            "insert into @lease as l (group_name, holder, timeline, epoch) values (?, ?, ?, ?)"
                + " on conflict (group_name) do update set holder = excluded.holder,"
                + " timeline = excluded.timeline, epoch = excluded.epoch, heartbeat = l.heartbeat + 1,"
                + " released = false, presence = null, acquired_at = now()");
  }

  /** Returns a fence newer than all before it, as part of the caller's transaction. */
  Fence mint(Connection connection, String group, MemberId holder) throws SQLException {
    Fence fence;
    try (PreparedStatement statement = connection.prepareStatement(mint)) {
      statement.setString(1, group);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        fence = new Fence(row.getLong(1), row.getLong(2));
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(holds)) {
      statement.setString(1, group);
      statement.setObject(2, holder.value());
      statement.setLong(3, fence.timeline());
      statement.setLong(4, fence.epoch());
      statement.executeUpdate();
    }
    return fence;
  }
}
