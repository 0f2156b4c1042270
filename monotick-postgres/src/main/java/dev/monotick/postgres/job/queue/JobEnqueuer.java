package dev.monotick.postgres.job.queue;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.Lane;
import dev.monotick.job.QueueFullException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.handoff.HandoffNotification;
import dev.monotick.postgres.job.lane.LaneDirectory;
import dev.monotick.postgres.job.row.DraftColumns;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.StartColumns;
import dev.monotick.postgres.notify.Notification;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Adds jobs. Thread-safe. */
public final class JobEnqueuer {

  /** Makes a statement that adds jobs tell of them when it commits. */
  private static final String TELLING = " cross join lateral (select pg_notify(?, ?)) as told";

  private final Database database;
  private final LaneDirectory lanes;
  private final DueTimes due;
  private final String addPlain;
  private final String addAll;
  private final String handOff;
  private final String depth;

  public JobEnqueuer(Database database, LaneDirectory lanes, DueTimes due) {
    this.database = database;
    this.lanes = lanes;
    this.due = due;
    addPlain =
        database.sql("select a.* from @job_enqueue(" + DraftColumns.TYPES + ", ?::bigint) as a");
    addAll =
        database.sql(
            "select a.* from @job_enqueue_all("
                + DraftColumns.TYPES
                + ", ?::bigint, "
                + StartColumns.TYPES
                + ") as a");
    handOff =
        database.sql(
            "select * from @job_enqueue_or_hand_off(?::integer, ?::integer, ?::bigint, ?::smallint, ?::smallint,"
                + " ?::bytea, ?::text, ?::bigint, ?::text, ?::text)");
    depth =
        database.sql(
            "select coalesce(sum(c.waiting + c.ready), 0) from"
                + " (select lane, waiting, ready from @job_count"
                + " union all select lane, waiting, ready from @job_count_delta) as c"
                + " join @job_lane l on l.id = c.lane where l.queue = ?");
  }

  /**
   * What was added.
   *
   * @param replies one for each draft
   * @param handedOff whether a replica has it already
   */
  public record Added(List<Enqueued> replies, boolean handedOff) {}

  /**
   * Adds jobs in a transaction of its own, which sends the notice. A job that comes alone is given
   * to a replica that waits for one.
   */
  public Added enqueue(EnqueueRequest order, Optional<Notification> notice) {
    if (order.drafts().isEmpty()) {
      return new Added(List.of(), false);
    }
    Map<Lane, Integer> ids = laneIds(order);
    boolean isPlain = !StartColumns.isNeeded(order.drafts(), order.follow());
    boolean mayHand = notice.isPresent() && HandoffNotification.isPossible(order.drafts(), isPlain);
    Added added =
        database.once(
            "adding jobs",
            connection ->
                mayHand
                    ? handOff(connection, order, ids, notice.get())
                    : new Added(add(connection, order, ids, notice), false));
    order.drafts().forEach(due::added);
    return added;
  }

  private Added handOff(
      Connection connection, EnqueueRequest order, Map<Lane, Integer> ids, Notification notice)
      throws SQLException {
    requireRoom(connection, order);
    JobDraft draft = order.drafts().get(0);
    try (PreparedStatement statement = connection.prepareStatement(handOff)) {
      statement.setInt(1, requireNonNull(ids.get(draft.lane())));
      statement.setInt(2, draft.version());
      statement.setLong(3, Math.max(1, draft.rules().timeout().toMillis()));
      statement.setInt(4, draft.rules().maxAttempts());
      statement.setInt(5, JobColumns.effect(draft.rules().effect()));
      statement.setBytes(6, draft.payload());
      statement.setString(7, JobColumns.headers(draft.headers()));
      setParent(statement, 8, order);
      statement.setString(9, notice.channel());
      statement.setString(10, notice.payload());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Enqueued reply = new Enqueued(new JobId(row.getLong(1)), true);
        return new Added(List.of(reply), row.getBoolean(2));
      }
    }
  }

  /** Adds jobs in the transaction of a connection. */
  public List<Enqueued> enqueue(Connection connection, EnqueueRequest order) throws SQLException {
    return order.drafts().isEmpty()
        ? List.of()
        : add(connection, order, laneIds(order), Optional.empty());
  }

  private Map<Lane, Integer> laneIds(EnqueueRequest order) {
    Set<Lane> wanted = new HashSet<>();
    for (JobDraft draft : order.drafts()) {
      wanted.add(draft.lane());
    }
    return lanes.ids(wanted);
  }

  private List<Enqueued> add(
      Connection connection,
      EnqueueRequest order,
      Map<Lane, Integer> ids,
      Optional<Notification> notice)
      throws SQLException {
    requireRoom(connection, order);
    DraftColumns drafts = new DraftColumns(order.drafts(), ids);
    return StartColumns.isNeeded(order.drafts(), order.follow())
        ? addAll(connection, order, drafts, notice)
        : addPlain(connection, order, drafts, notice);
  }

  private void requireRoom(Connection connection, EnqueueRequest order) throws SQLException {
    if (order.depth().isEmpty()) {
      return;
    }
    long most = order.depth().get();
    Map<String, Integer> wanted = new TreeMap<>();
    order.drafts().forEach(draft -> wanted.merge(draft.lane().queue(), 1, Integer::sum));
    for (Map.Entry<String, Integer> more : wanted.entrySet()) {
      try (PreparedStatement statement = connection.prepareStatement(depth)) {
        statement.setString(1, more.getKey());
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          long waiting = row.getLong(1);
          if (waiting + more.getValue() > most) {
            throw new QueueFullException(
                "queue "
                    + more.getKey()
                    + " takes no more jobs: "
                    + waiting
                    + " wait, "
                    + more.getValue()
                    + " were to be added, and "
                    + most
                    + " may wait; try again later, or allow a greater depth");
          }
        }
      }
    }
  }

  private List<Enqueued> addPlain(
      Connection connection,
      EnqueueRequest order,
      DraftColumns drafts,
      Optional<Notification> notice)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, addPlain, notice)) {
      drafts.set(statement, 1);
      setParent(statement, DraftColumns.COUNT + 1, order);
      setNotification(statement, DraftColumns.COUNT + 2, notice);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Long[] numbers = (Long[]) row.getArray(1).getArray();
        List<Enqueued> replies = new ArrayList<>(numbers.length);
        for (Long number : numbers) {
          replies.add(new Enqueued(new JobId(number), true));
        }
        return replies;
      }
    }
  }

  private List<Enqueued> addAll(
      Connection connection,
      EnqueueRequest order,
      DraftColumns drafts,
      Optional<Notification> notice)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, addAll, notice)) {
      drafts.set(statement, 1);
      setParent(statement, DraftColumns.COUNT + 1, order);
      new StartColumns(order.drafts(), order.follow()).set(statement, DraftColumns.COUNT + 2);
      setNotification(statement, DraftColumns.COUNT + StartColumns.COUNT + 2, notice);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Long[] numbers = (Long[]) row.getArray(1).getArray();
        Boolean[] fresh = (Boolean[]) row.getArray(2).getArray();
        List<Enqueued> replies = new ArrayList<>(numbers.length);
        for (int i = 0; i < numbers.length; i++) {
          replies.add(new Enqueued(new JobId(numbers[i]), fresh[i]));
        }
        return replies;
      }
    }
  }

  private static PreparedStatement prepare(
      Connection connection, String sql, Optional<Notification> notice) throws SQLException {
    return connection.prepareStatement(notice.isPresent() ? sql + TELLING : sql);
  }

  private static void setNotification(
      PreparedStatement statement, int first, Optional<Notification> notice) throws SQLException {
    if (notice.isPresent()) {
      statement.setString(first, notice.get().channel());
      statement.setString(first + 1, notice.get().payload());
    }
  }

  private static void setParent(PreparedStatement statement, int index, EnqueueRequest order)
      throws SQLException {
    if (order.parent().isPresent()) {
      statement.setLong(index, order.parent().get().value());
    } else {
      statement.setNull(index, Types.BIGINT);
    }
  }
}
