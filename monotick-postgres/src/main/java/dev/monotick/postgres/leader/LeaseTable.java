package dev.monotick.postgres.leader;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One group's lease and fence, as one candidate reads and writes them. Used by one call at a time.
 */
final class LeaseTable {

  /** More than any term renews, and as good as nothing among the numbers a term may begin at. */
  private static final long MOST_HEARTBEATS = 1L << 32;

  private final LeaseSql sql;
  private final Candidate candidate;
  private @Nullable Long firstHeartbeat;

  /**
   * What a look at the group found.
   *
   * @param locked whether the session lock of the group was obtained
   * @param present whether the holder's presence lock is held; null if nobody looked
   * @param stamp who answered
   * @param row the lease; null if nobody ever led
   */
  record Seen(boolean locked, @Nullable Boolean present, Stamp stamp, @Nullable LeaseRow row) {}

  /**
   * Who answered: another history or process means another server, or somebody in between.
   *
   * @param timeline the history the server is in; a fence may know of a newer one
   * @param pid the server process
   */
  record Stamp(long timeline, int pid) {}

  /** A term that began. */
  record Minted(Fence fence, Stamp stamp) {}

  /** The answer to a renewal. */
  record Renewed(boolean current, Stamp stamp) {}

  LeaseTable(Database database, LeaseSql sql, Candidate candidate) {
    this.sql =
        new LeaseSql(
            database.sql(sql.tryLock()),
            database.sql(sql.readLocked()),
            database.sql(sql.read()),
            database.sql(sql.begin()),
            database.sql(sql.mint()),
            database.sql(sql.renew()),
            database.sql(sql.release()));
    this.candidate = candidate;
  }

  /** Takes the session lock, if it is free, and looks. Never called while it is held. */
  Seen tryLock(Connection connection, @Nullable Long seenPresence) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.tryLock())) {
      if (seenPresence == null) {
        statement.setNull(1, Types.BIGINT);
      } else {
        statement.setLong(1, seenPresence);
      }
      statement.setString(2, candidate.group());
      return seen(statement);
    }
  }

  /** Looks after the lock was obtained: a row read before it may be from before its release. */
  Seen readLocked(Connection connection) throws SQLException {
    return read(connection, sql.readLocked());
  }

  Seen read(Connection connection) throws SQLException {
    return read(connection, sql.read());
  }

  private Seen read(Connection connection, String question) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(question)) {
      statement.setString(1, candidate.group());
      return seen(statement);
    }
  }

  /** Makes the row of a group that never had one; it is free to be taken. */
  void begin(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.begin())) {
      statement.setString(1, candidate.group());
      statement.setObject(2, candidate.replica().value());
      statement.executeUpdate();
    }
  }

  /** Begins a term, unless the row is not what was seen any more. */
  Optional<Minted> mint(Connection connection, LeaseRow seen) throws SQLException {
    long first = UUID.randomUUID().getMostSignificantBits() >>> 2; // room to count
    firstHeartbeat = first; // noted before it is sent: the answer may get lost
    try (PreparedStatement statement = connection.prepareStatement(sql.mint())) {
      statement.setString(1, candidate.group());
      statement.setObject(2, seen.holder().value());
      statement.setLong(3, seen.fence().timeline());
      statement.setLong(4, seen.fence().epoch());
      statement.setLong(5, seen.heartbeat());
      statement.setBoolean(6, seen.released());
      statement.setString(7, candidate.group());
      statement.setObject(8, candidate.replica().value());
      statement.setObject(9, candidate.replica().value());
      statement.setLong(10, first);
      statement.setLong(11, candidate.timing().leaseDuration().toMillis());
      statement.setString(12, candidate.group());
      try (ResultSet result = statement.executeQuery()) {
        return result.next()
            ? Optional.of(new Minted(fence(result), stamp(result)))
            : Optional.empty();
      }
    }
  }

  /**
   * Says whether the row is that of the last term this very object began, known or not. The replica
   * alone does not prove that: an identity may be in use twice, by mistake. So the beats of each
   * term begin at a number that nobody else could have chosen.
   */
  boolean isOwn(LeaseRow row) {
    Long first = firstHeartbeat;
    return first != null
        && row.holder().equals(candidate.replica())
        && row.heartbeat() >= first
        && row.heartbeat() - first <= MOST_HEARTBEATS;
  }

  Renewed renew(Connection connection, Fence fence) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.renew())) {
      setTerm(statement, fence);
      statement.setString(5, candidate.group());
      statement.setLong(6, fence.timeline());
      statement.setLong(7, fence.epoch());
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return new Renewed(result.getBoolean("renewed"), stamp(result));
      }
    }
  }

  /** Marks the term as ended; says whether it was the current one. */
  boolean release(Connection connection, Fence fence) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.release())) {
      setTerm(statement, fence);
      return statement.executeUpdate() == 1;
    }
  }

  private void setTerm(PreparedStatement statement, Fence fence) throws SQLException {
    statement.setString(1, candidate.group());
    statement.setObject(2, candidate.replica().value());
    statement.setLong(3, fence.timeline());
    statement.setLong(4, fence.epoch());
  }

  private static Seen seen(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      result.next();
      boolean present = result.getBoolean("present");
      Boolean known = result.wasNull() ? null : present;
      return new Seen(result.getBoolean("locked"), known, stamp(result), row(result));
    }
  }

  private static @Nullable LeaseRow row(ResultSet result) throws SQLException {
    UUID holder = result.getObject("holder", UUID.class);
    if (holder == null) {
      return null;
    }
    long presence = result.getLong("presence");
    Long shown = result.wasNull() ? null : presence;
    return new LeaseRow(
        new MemberId(holder),
        fence(result),
        result.getLong("heartbeat"),
        result.getBoolean("released"),
        Duration.ofMillis(result.getLong("lease_millis")),
        shown);
  }

  private static Fence fence(ResultSet result) throws SQLException {
    return new Fence(result.getLong("timeline"), result.getLong("epoch"));
  }

  private static Stamp stamp(ResultSet result) throws SQLException {
    return new Stamp(result.getLong("server_timeline"), result.getInt("pid"));
  }
}
