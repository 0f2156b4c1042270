package dev.monotick.postgres.ledger;

import dev.monotick.internal.ledger.TickImage;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The statements on the table of ticks. Thread-safe: has no state but the text of its SQL. */
final class TickTable {

  /** The columns of {@link #read}, in its order. */
  static final String COLUMNS =
      "k.task, k.nominal, k.trigger_key, k.last_nominal, k.count, k.status, k.outcome, k.reason,"
          + " k.detail, k.claim_replica, k.claim_number, k.fence_timeline, k.fence_epoch, k.attempt,"
          + " k.started_at, k.ended_at, k.effect, k.spent_claims, k.occupies, k.allows_others,"
          + " k.cancel_asked, k.may_have_begun";

  static final int COLUMN_COUNT = 22;

  /** What is neither history nor in the future; the condition of the index for it. */
  static final String LIVE = "(k.status <> 'ENDED' or k.occupies)";

  /**
   * Says what follows from the join already, but in words that let the planner leave out all
   * partitions but the one or two concerned: with a month of them that is seven times as fast.
   */
  private static final String BOUNDS = " and k.nominal between ? and ?";

  private static final String UNNEST =
      " from unnest(?::text[], ?::timestamptz[], ?::text[], ?::timestamptz[], ?::bigint[],"
          + " ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bigint[], ?::bigint[],"
          + " ?::bigint[], ?::integer[], ?::timestamptz[], ?::timestamptz[], ?::text[], ?::text[],"
          + " ?::boolean[], ?::boolean[], ?::boolean[], ?::boolean[])"
          + " as u(task, nominal, trigger_key, last_nominal, count, status, outcome, reason,"
          + " detail, claim_replica, claim_number, fence_timeline, fence_epoch, attempt,"
          + " started_at, ended_at, effect, spent_claims, occupies, allows_others, cancel_asked,"
          + " may_have_begun)";

  private final String live;
  private final String byKey;
  private final String newest;
  private final String insert;
  private final String update;

  TickTable(Database database) {
    live = database.sql("select " + COLUMNS + " from @tick k where k.task = any (?) and " + LIVE);
    byKey =
        database.sql(
            "select k.* from unnest(?::text[], ?::timestamptz[], ?::text[])"
                + " as u(task, nominal, trigger_key) cross join lateral (select "
                + COLUMNS
                + " from @tick k where k.task = u.task and k.nominal = u.nominal"
                + " and k.trigger_key = u.trigger_key"
                + BOUNDS
                + " limit 1) k"); // each on its own, by its key, whatever the planner believes
    newest =
        database.sql(
            "select "
                + COLUMNS
                + " from @tick k where k.task = ? order by k.nominal desc, k.trigger_key desc"
                + " limit ?");
    insert =
        database.sql(
            "insert into @tick (task, nominal, trigger_key, last_nominal, count, status, outcome,"
                + " reason, detail, claim_replica, claim_number, fence_timeline, fence_epoch,"
                + " attempt, started_at, ended_at, effect, spent_claims, occupies, allows_others,"
                + " cancel_asked, may_have_begun)"
                + " select task, nominal, trigger_key, last_nominal, count, status, outcome,"
                + " reason, detail, claim_replica, claim_number, fence_timeline, fence_epoch,"
                + " attempt, started_at, ended_at, effect, string_to_array(spent_claims, ','),"
                + " occupies, allows_others, cancel_asked, may_have_begun"
                + UNNEST);
    update =
        database.sql(
            "update @tick set last_nominal = ?::timestamptz, count = ?, status = ?, outcome = ?,"
                + " reason = ?, detail = ?, claim_replica = ?, claim_number = ?,"
                + " fence_timeline = ?, fence_epoch = ?, attempt = ?, started_at = ?::timestamptz,"
                + " ended_at = ?::timestamptz, effect = coalesce(?, effect),"
                + " spent_claims = string_to_array(?, ','), occupies = ?, allows_others = ?,"
                + " cancel_asked = ?, may_have_begun = ?"
                + " where task = ? and nominal = ? and trigger_key = ?");
  }

  /** Returns the rows of the tasks that wait or occupy them. */
  List<TickImage> live(Connection connection, Collection<String> tasks) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(live)) {
      LedgerColumns.set(statement, 1, "text", List.copyOf(tasks), task -> task);
      return readAll(statement);
    }
  }

  /** Returns those of the ticks that have a row of their own. */
  List<TickImage> find(Connection connection, Collection<TickId> ticks) throws SQLException {
    List<TickId> keys = List.copyOf(ticks);
    try (PreparedStatement statement = connection.prepareStatement(byKey)) {
      LedgerColumns.set(statement, 1, "text", keys, TickId::task);
      LedgerColumns.set(
          statement, 2, "timestamptz", keys, key -> LedgerColumns.time(key.nominal()));
      LedgerColumns.set(statement, 3, "text", keys, TickTable::triggerKey);
      setBounds(statement, 4, keys.stream());
      return readAll(statement);
    }
  }

  /** Returns the newest rows of a task, newest first. */
  List<TickImage> newest(Connection connection, String task, int limit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(newest)) {
      statement.setString(1, task);
      statement.setInt(2, limit);
      return readAll(statement);
    }
  }

  void insert(Connection connection, List<TickImage> rows) throws SQLException {
    if (!rows.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement(insert)) {
        set(statement, rows);
        Database.expect(rows.size(), statement.executeUpdate(), "adding ticks");
      }
    }
  }

  /**
   * Writes rows of tasks that the caller has locked. A statement for each, all sent at once: joined
   * with a list of them, the planner would read all of a day's partition where it believes that it
   * has next to no rows between the bounds, as it does whenever they are younger than its
   * statistics.
   */
  void update(Connection connection, List<TickImage> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      for (TickImage row : rows) {
        setOne(statement, row);
        statement.addBatch();
      }
      int changed = Arrays.stream(statement.executeBatch()).sum();
      Database.expect(rows.size(), changed, "writing ticks");
    }
  }

  private static void setOne(PreparedStatement to, TickImage image) throws SQLException {
    TickRecord row = image.row();
    to.setString(1, LedgerColumns.time(row.last()));
    to.setLong(2, row.count());
    to.setString(3, row.status().name());
    to.setString(4, name(row.outcome()));
    to.setString(5, name(row.reason()));
    to.setString(6, detail(row));
    to.setObject(7, replica(row.claim()), Types.OTHER);
    to.setObject(8, number(row.claim()), Types.BIGINT);
    to.setObject(9, timeline(row.fence()), Types.BIGINT);
    to.setObject(10, epoch(row.fence()), Types.BIGINT);
    to.setInt(11, row.attempt());
    to.setString(12, LedgerColumns.time(row.startedAt()));
    to.setString(13, LedgerColumns.time(row.endedAt()));
    to.setString(14, name(image.effect()));
    to.setString(15, spent(image.spent()));
    to.setBoolean(16, image.occupies());
    to.setBoolean(17, image.allowsOthers());
    to.setBoolean(18, image.cancelAsked());
    to.setBoolean(19, image.mayHaveBegun());
    to.setString(20, row.tick().task());
    to.setObject(21, OffsetDateTime.ofInstant(row.tick().nominal(), ZoneOffset.UTC));
    to.setString(22, triggerKey(row.tick()));
  }

  static TickImage read(ResultSet row) throws SQLException {
    String trigger = row.getString(3);
    String outcome = row.getString(7);
    String reason = row.getString(8);
    UUID replica = row.getObject(10, UUID.class);
    long timeline = row.getLong(12);
    boolean fenced = !row.wasNull();
    TickRecord record =
        new TickRecord(
            new TickId(
                row.getString(1),
                LedgerColumns.requiredTime(row, 2),
                trigger.isEmpty() ? null : trigger),
            LedgerColumns.requiredTime(row, 4),
            row.getLong(5),
            Status.valueOf(row.getString(6)),
            outcome == null ? null : Outcome.valueOf(outcome),
            reason == null ? null : SkipReason.valueOf(reason),
            row.getString(9),
            replica == null ? null : new TickRecord.Claim(replica, row.getLong(11)),
            fenced ? new Fence(timeline, row.getLong(13)) : null,
            row.getInt(14),
            LedgerColumns.time(row, 15),
            LedgerColumns.time(row, 16));
    boolean occupies = row.getBoolean(19);
    if (record.status() == Status.ENDED && !occupies) {
      return TickImage.ofHistory(record);
    }
    String effect = row.getString(17);
    return new TickImage(
        record,
        effect == null ? null : Effect.valueOf(effect),
        row.getBoolean(22),
        spent(row.getArray(18)),
        occupies,
        row.getBoolean(20),
        row.getBoolean(21));
  }

  private static List<TickClaimId> spent(@Nullable Array array) throws SQLException {
    return array == null
        ? List.of()
        : Arrays.stream((String[]) array.getArray()).map(LedgerColumns::claim).toList();
  }

  private static List<TickImage> readAll(PreparedStatement statement) throws SQLException {
    List<TickImage> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.add(read(result));
      }
    }
    return rows;
  }

  private static void setBounds(PreparedStatement to, int index, Stream<TickId> ticks)
      throws SQLException {
    List<Instant> times = ticks.map(TickId::nominal).sorted().toList();
    // As times, not as text to be cast: a cast is done too late for the planner to know the bounds.
    to.setObject(index, OffsetDateTime.ofInstant(times.get(0), ZoneOffset.UTC));
    to.setObject(index + 1, OffsetDateTime.ofInstant(times.get(times.size() - 1), ZoneOffset.UTC));
  }

  private static void set(PreparedStatement to, List<TickImage> rows) throws SQLException {
    LedgerColumns.set(to, 1, "text", rows, row -> row.row().tick().task());
    LedgerColumns.set(
        to, 2, "timestamptz", rows, row -> LedgerColumns.time(row.row().tick().nominal()));
    LedgerColumns.set(to, 3, "text", rows, row -> triggerKey(row.row().tick()));
    LedgerColumns.set(to, 4, "timestamptz", rows, row -> LedgerColumns.time(row.row().last()));
    LedgerColumns.set(to, 5, "int8", rows, row -> row.row().count());
    LedgerColumns.set(to, 6, "text", rows, row -> row.row().status().name());
    LedgerColumns.set(to, 7, "text", rows, row -> name(row.row().outcome()));
    LedgerColumns.set(to, 8, "text", rows, row -> name(row.row().reason()));
    LedgerColumns.set(to, 9, "text", rows, row -> detail(row.row()));
    LedgerColumns.set(to, 10, "uuid", rows, row -> replica(row.row().claim()));
    LedgerColumns.set(to, 11, "int8", rows, row -> number(row.row().claim()));
    LedgerColumns.set(to, 12, "int8", rows, row -> timeline(row.row().fence()));
    LedgerColumns.set(to, 13, "int8", rows, row -> epoch(row.row().fence()));
    LedgerColumns.set(to, 14, "int4", rows, row -> row.row().attempt());
    LedgerColumns.set(
        to, 15, "timestamptz", rows, row -> LedgerColumns.time(row.row().startedAt()));
    LedgerColumns.set(to, 16, "timestamptz", rows, row -> LedgerColumns.time(row.row().endedAt()));
    LedgerColumns.set(to, 17, "text", rows, row -> name(row.effect()));
    LedgerColumns.set(to, 18, "text", rows, row -> spent(row.spent()));
    LedgerColumns.set(to, 19, "bool", rows, TickImage::occupies);
    LedgerColumns.set(to, 20, "bool", rows, TickImage::allowsOthers);
    LedgerColumns.set(to, 21, "bool", rows, TickImage::cancelAsked);
    LedgerColumns.set(to, 22, "bool", rows, TickImage::mayHaveBegun);
  }

  private static String triggerKey(TickId tick) {
    String key = tick.trigger();
    return key == null ? "" : key;
  }

  private static @Nullable String detail(TickRecord row) {
    String detail = row.detail();
    return detail == null ? null : LedgerColumns.text(detail);
  }

  private static @Nullable String name(@Nullable Enum<?> value) {
    return value == null ? null : value.name();
  }

  private static @Nullable UUID replica(TickRecord.@Nullable Claim claim) {
    return claim == null ? null : claim.replica();
  }

  private static @Nullable Long number(TickRecord.@Nullable Claim claim) {
    return claim == null ? null : claim.number();
  }

  private static @Nullable Long timeline(@Nullable Fence fence) {
    return fence == null ? null : fence.timeline();
  }

  private static @Nullable Long epoch(@Nullable Fence fence) {
    return fence == null ? null : fence.epoch();
  }

  private static @Nullable String spent(List<TickClaimId> claims) {
    return claims.isEmpty()
        ? null
        : String.join(",", claims.stream().map(LedgerColumns::text).toList());
  }
}
