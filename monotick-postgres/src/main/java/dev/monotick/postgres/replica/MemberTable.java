package dev.monotick.postgres.replica;

import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.replica.MemberConfig;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements on the table of replicas. Thread-safe. */
final class MemberTable {

  private final Database database;
  private final String serialise;
  private final String readMembers;
  private final String heartbeat;
  private final String insert;
  private final String rejoined;
  private final String isGone;
  private final String update;
  private final String configure;
  private final String gone;
  private final String infos;

  /**
   * What a beat shows.
   *
   * @param counted whether the replica was not known to be gone, so that it counted
   * @param clock what the database's clock said
   * @param others all replicas that are not known to be gone, the caller among them
   */
  record HeartbeatReply(boolean counted, Instant clock, List<MemberSighting> others) {}

  /** A replica's name and tasks, and which version of them this is. */
  record Info(MemberInfo info, long revision) {}

  MemberTable(Database database, boolean locks) {
    this.database = database;
    serialise = database.sql("select id from @store for update");
    // Which advisory locks are held, by keys of one bigint, in this database.
    String held =
        locks
            ? "case when r.presence is null then null else (select count(*) from held h"
                + " where h.key in (r.presence, r.presence # 1)) end"
            : "null::bigint";
    String with =
        locks
            ? "with held as materialized (select (l.classid::bigint << 32) | l.objid::bigint as key"
                + " from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1 and l.granted"
                + " and l.database = (select oid from pg_database"
                + " where datname = current_database()))"
            : "";
    String columns = "r.id, r.name, r.heartbeat, r.revision, r.alone, " + held;
    readMembers =
        database.sql(with + " select " + columns + " from @replica r where r.gone_at is null");
    heartbeat =
        database.sql(
            (with.isEmpty() ? "with" : with + ",")
                + " mine as (update @replica set heartbeat = heartbeat + 1, heartbeat_at = clock_timestamp(),"
                + " clock_offset = ? * interval '1 microsecond'"
                + " where id = ? and gone_at is null returning id)"
                + " select "
                + columns
                + ", clock_timestamp(), (select count(*) from mine)"
                + " from @replica r where r.gone_at is null"
                + " union all select null, null, null, null, null, null, clock_timestamp(),"
                + " (select count(*) from mine)");
    insert =
        database.sql(
            "insert into @replica as r (id, name, version, started_at, clock_offset, tasks, alone,"
                + " presence) values (?, ?, ?, ?, ? * interval '1 microsecond', ?, ?, ?)"
                // The answer to an earlier try may have been lost. A row that is gone stays so.
                + " on conflict (id) do update set name = excluded.name,"
                + " version = excluded.version, started_at = excluded.started_at,"
                + " clock_offset = excluded.clock_offset, tasks = excluded.tasks,"
                + " alone = excluded.alone, presence = excluded.presence, joined_at = now(),"
                + " heartbeat = r.heartbeat + 1, heartbeat_at = clock_timestamp(), revision = r.revision + 1"
                + " where r.gone_at is null returning r.heartbeat");
    isGone = database.sql("select 1 from @replica_gone where id = ?");
    rejoined =
        database.sql(
            "with former as (update @replica set gone_at = coalesce(gone_at, clock_timestamp()),"
                + " rejoined_at = coalesce(rejoined_at, clock_timestamp()) where id = any (?)"
                + " returning id)"
                + " insert into @replica_gone (id) select f.id from former f on conflict do nothing");
    update =
        database.sql(
            "update @replica set name = ?, tasks = ?, revision = revision + 1"
                + " where id = ? and gone_at is null");
    configure =
        database.sql("update @replica set tzdb = ?, kinds = ?, definitions = ? where id = ?");
    // Guarded by the beat that was judged: whoever beat since then lives.
    gone =
        database.sql(
            "with dead as (update @replica r set gone_at = clock_timestamp()"
                + " from unnest(?::uuid[], ?::bigint[]) as u(id, heartbeat)"
                + " where r.id = u.id and r.heartbeat = u.heartbeat and r.gone_at is null returning r.id),"
                + " noted as (insert into @replica_gone (id) select d.id from dead d"
                + " on conflict do nothing)"
                + " select d.id from dead d");
    infos =
        database.sql(
            "select id, name, started_at, tasks, revision, tzdb, kinds, definitions from @replica"
                + " where id = any (?)");
  }

  /** Lets one join at a time. */
  void serialise(Connection connection) throws SQLException {
    // Whoever waited must see who came before, and whoever freezes must not keep others waiting.
    database.begin(connection);
    try (PreparedStatement statement = connection.prepareStatement(serialise)) {
      statement.executeQuery().close();
    }
  }

  List<MemberSighting> readMembers(Connection connection) throws SQLException {
    List<MemberSighting> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(readMembers);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        found.add(sighting(row));
      }
    }
    return found;
  }

  HeartbeatReply heartbeat(Connection connection, MemberId replica, Duration clockOffset)
      throws SQLException {
    List<MemberSighting> found = new ArrayList<>();
    Instant clock = Instant.EPOCH;
    boolean counted = false;
    try (PreparedStatement statement = connection.prepareStatement(heartbeat)) {
      statement.setLong(1, clockOffset.toNanos() / 1000);
      statement.setObject(2, replica.value());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          clock = row.getObject(7, OffsetDateTime.class).toInstant();
          counted = row.getLong(8) > 0;
          if (row.getObject(1) != null) {
            found.add(sighting(row));
          }
        }
      }
    }
    return new HeartbeatReply(counted, clock, found);
  }

  /** Adds a replica and returns its count of beats; -1 if its id is gone. */
  long insert(
      Connection connection,
      MemberInfo replica,
      Duration clockOffset,
      boolean alone,
      @Nullable Long presence)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setObject(1, replica.id().value());
      statement.setString(2, replica.name());
      statement.setString(3, MonotickVersion.OF_THIS_CODE);
      statement.setObject(4, OffsetDateTime.ofInstant(replica.startedAt(), ZoneOffset.UTC));
      statement.setLong(5, clockOffset.toNanos() / 1000);
      statement.setArray(6, connection.createArrayOf("text", replica.tasks().toArray()));
      statement.setBoolean(7, alone);
      statement.setObject(8, presence, Types.BIGINT);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return -1;
        }
        long beats = row.getLong(1);
        configure(connection, replica);
        return beats;
      }
    }
  }

  /** Returns whether a membership is over. */
  boolean isGone(Connection connection, MemberId replica) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(isGone)) {
      statement.setObject(1, replica.value());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Marks earlier memberships of a process that joins as gone, and that it lives on. */
  void markRejoined(Connection connection, Collection<MemberId> former) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(rejoined)) {
      Object[] ids = former.stream().map(MemberId::value).toArray();
      statement.setArray(1, connection.createArrayOf("uuid", ids));
      statement.executeUpdate();
    }
  }

  private void configure(Connection connection, MemberInfo replica) throws SQLException {
    MemberConfig config = replica.config();
    try (PreparedStatement statement = connection.prepareStatement(configure)) {
      statement.setString(1, config.tzdb());
      statement.setArray(2, connection.createArrayOf("text", config.kinds().toArray()));
      statement.setArray(
          3,
          connection.createArrayOf(
              "text",
              config.tasks().entrySet().stream()
                  .map(task -> task.getKey() + "\n" + task.getValue())
                  .toArray()));
      statement.setObject(4, replica.id().value());
      statement.executeUpdate();
    }
  }

  private static MemberConfig config(ResultSet row) throws SQLException {
    Map<String, String> tasks = new HashMap<>();
    for (String task : (String[]) row.getArray("definitions").getArray()) {
      int end = task.indexOf('\n');
      tasks.put(task.substring(0, end), task.substring(end + 1));
    }
    return new MemberConfig(
        row.getString("tzdb"),
        Set.copyOf(Arrays.asList((String[]) row.getArray("kinds").getArray())),
        tasks);
  }

  void update(Connection connection, MemberInfo replica) throws SQLException {
    configure(connection, replica); // first: who sees the new revision reads the new values
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setString(1, replica.name());
      statement.setArray(2, connection.createArrayOf("text", replica.tasks().toArray()));
      statement.setObject(3, replica.id().value());
      statement.executeUpdate();
    }
  }

  /**
   * Marks replicas as gone, and returns those that this changed: not one that beat since it was
   * seen, nor one that another replica has marked.
   */
  Set<UUID> markGone(Connection connection, List<MemberSighting> dead) throws SQLException {
    Set<UUID> marked = new HashSet<>();
    if (dead.isEmpty()) {
      return marked;
    }
    try (PreparedStatement statement = connection.prepareStatement(gone)) {
      statement.setArray(
          1, connection.createArrayOf("uuid", dead.stream().map(MemberSighting::id).toArray()));
      statement.setArray(
          2,
          connection.createArrayOf("int8", dead.stream().map(MemberSighting::heartbeat).toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          marked.add(row.getObject(1, UUID.class));
        }
      }
    }
    return marked;
  }

  List<Info> infos(Connection connection, Collection<UUID> ids) throws SQLException {
    List<Info> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(infos)) {
      statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new Info(
                  new MemberInfo(
                      new MemberId(row.getObject(1, UUID.class)),
                      row.getString(2),
                      row.getObject(3, OffsetDateTime.class).toInstant(),
                      Set.copyOf(Arrays.asList((String[]) row.getArray(4).getArray())),
                      config(row)),
                  row.getLong(5)));
        }
      }
    }
    return found;
  }

  private static MemberSighting sighting(ResultSet row) throws SQLException {
    int count = row.getInt(6);
    Integer locks = row.wasNull() ? null : count;
    return new MemberSighting(
        row.getObject(1, UUID.class),
        row.getString(2),
        row.getLong(3),
        row.getLong(4),
        row.getBoolean(5),
        locks);
  }
}
