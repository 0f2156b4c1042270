package dev.monotick.postgres.job.lane;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Lane;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The lanes, and what is paused, limited and weighed: few rows that seldom change, kept here and
 * read again when their version has grown. Thread-safe.
 */
public final class LaneDirectory {

  private static final LaneRules NOTHING =
      new LaneRules(0, Map.of(), Map.of(), Set.of(), Set.of(), Map.of(), List.of());

  private final Database database;
  private final String readVersion;
  private final String readLanes;
  private final String readPauses;
  private final String readWeights;
  private final String readLimits;
  private final String insert;
  private final String bump;
  private volatile LaneRules table = NOTHING;

  public LaneDirectory(Database database) {
    this.database = database;
    readVersion = database.sql("select version from @job_rules_version");
    readLanes = database.sql("select id, queue, kind, tenant, priority from @job_lane");
    readPauses = database.sql("select of, name from @job_pause");
    readWeights = database.sql("select tenant, weight from @job_tenant");
    readLimits =
        database.sql(
            "select id, kind, tenant, per_key, running, rate_count, rate_millis from @job_limit"
                + " order by id");
    insert =
        database.sql(
            "insert into @job_lane (queue, kind, tenant, priority)"
                + " select * from unnest(?::text[], ?::text[], ?::text[], ?::smallint[])"
                + " on conflict do nothing");
    bump = database.sql("update @job_rules_version set version = version + 1");
  }

  /** Returns what was known last. */
  public LaneRules known() {
    return table;
  }

  /** Forgets all: another server may have other numbers for lanes, under the same version. */
  public void forget() {
    table = NOTHING;
  }

  /**
   * Reads everything again, if it changed. Whoever is slow may put something older in the place of
   * what another just read; versions differ then, and it is read once more.
   */
  public LaneRules refresh() {
    LaneRules fresh = database.once("reading lanes", this::read);
    table = fresh;
    return fresh;
  }

  /** Returns a lane by its number. */
  Lane lane(int id) {
    Lane lane = table.lanes().get(id);
    if (lane == null) {
      lane = refresh().lanes().get(id);
    }
    if (lane == null) {
      throw new IllegalStateException("there is no lane " + id);
    }
    return lane;
  }

  /** Returns the number of a lane, which is added if it is not there yet. */
  int id(Lane lane) {
    Integer id = table.ids().get(lane);
    return id == null ? requireNonNull(ids(Set.of(lane)).get(lane)) : id;
  }

  /**
   * Returns the numbers of lanes; those that are not there yet are added, in a transaction of their
   * own: whoever waits for the caller's must not wait for this.
   */
  public Map<Lane, Integer> ids(Collection<Lane> wanted) {
    Map<Lane, Integer> known = table.ids();
    if (!known.keySet().containsAll(wanted)) {
      known = refresh().ids();
    }
    if (!known.keySet().containsAll(wanted)) {
      Set<Lane> missing = new HashSet<>(wanted);
      missing.removeAll(known.keySet());
      database.inTransaction("adding lanes", connection -> add(connection, missing));
      known = refresh().ids();
    }
    return known;
  }

  /** Has all replicas read again what changed; in the transaction that changes it. */
  void bump(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(bump)) {
      statement.executeUpdate();
    }
  }

  private int add(Connection connection, Set<Lane> missing) throws SQLException {
    bump(connection); // first: it makes those who add lanes wait for each other
    List<Lane> lanes = new ArrayList<>(missing);
    String[][] names = new String[3][lanes.size()];
    short[] priorities = new short[lanes.size()];
    for (int i = 0; i < priorities.length; i++) {
      Lane lane = lanes.get(i);
      names[0][i] = lane.queue();
      names[1][i] = lane.kind();
      names[2][i] = lane.tenant();
      priorities[i] = (short) lane.priority();
    }
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      for (int i = 0; i < names.length; i++) {
        JobColumns.set(statement, i + 1, names[i]);
      }
      JobColumns.set(statement, 4, priorities);
      return statement.executeUpdate();
    }
  }

  /** The version first: what is read after it is at least as new. */
  private LaneRules read(Connection connection) throws SQLException {
    long[] version = new long[1];
    each(connection, readVersion, row -> version[0] = row.getLong(1));
    if (version[0] == table.version()) {
      return table;
    }
    Map<Integer, Lane> lanes = new HashMap<>();
    Map<Lane, Integer> ids = new HashMap<>();
    each(
        connection,
        readLanes,
        row -> {
          Lane lane = new Lane(row.getString(2), row.getString(3), row.getString(4), row.getInt(5));
          lanes.put(row.getInt(1), lane);
          ids.put(lane, row.getInt(1));
        });
    Set<String> queues = new TreeSet<>();
    Set<String> kinds = new TreeSet<>();
    each(
        connection,
        readPauses,
        row -> (row.getString(1).equals("QUEUE") ? queues : kinds).add(row.getString(2)));
    Map<String, Integer> weights = new HashMap<>();
    each(connection, readWeights, row -> weights.put(row.getString(1), row.getInt(2)));
    List<LaneRules.Limit> limits = new ArrayList<>();
    each(connection, readLimits, row -> limits.add(limit(row)));
    return new LaneRules(version[0], lanes, ids, queues, kinds, weights, limits);
  }

  private static LaneRules.Limit limit(ResultSet row) throws SQLException {
    int running = row.getInt(5);
    Integer most = row.wasNull() ? null : running;
    int count = row.getInt(6);
    Integer rate = row.wasNull() ? null : count;
    return new LaneRules.Limit(
        row.getInt(1),
        row.getString(2),
        row.getString(3),
        row.getBoolean(4),
        most,
        rate,
        row.getLong(7));
  }

  @FunctionalInterface
  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private static void each(Connection connection, String sql, RowReader reader)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        reader.read(row);
      }
    }
  }
}
