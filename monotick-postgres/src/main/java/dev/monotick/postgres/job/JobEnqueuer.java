package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobStart;
import dev.monotick.postgres.connection.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Adds jobs. Thread-safe. */
final class JobEnqueuer {

  private final Database database;
  private final Lanes lanes;
  private final String addPlain;

  JobEnqueuer(Database database, Lanes lanes) {
    this.database = database;
    this.lanes = lanes;
    addPlain = database.sql("select @job_add(" + DraftColumns.TYPES + ", ?::bigint)");
  }

  /** Adds jobs in a transaction of its own. */
  List<Enqueued> enqueue(JobOrder order) {
    if (order.drafts().isEmpty()) {
      return List.of();
    }
    Map<JobLane, Integer> ids = laneIds(order);
    return database.once("adding jobs", connection -> add(connection, order, ids));
  }

  /** Adds jobs in the transaction of a connection. */
  List<Enqueued> enqueue(Connection connection, JobOrder order) throws SQLException {
    return order.drafts().isEmpty() ? List.of() : add(connection, order, laneIds(order));
  }

  private Map<JobLane, Integer> laneIds(JobOrder order) {
    Set<JobLane> wanted = new HashSet<>();
    for (JobDraft draft : order.drafts()) {
      wanted.add(draft.lane());
    }
    return lanes.ids(wanted);
  }

  private List<Enqueued> add(Connection connection, JobOrder order, Map<JobLane, Integer> ids)
      throws SQLException {
    if (!isPlain(order)) {
      throw new UnsupportedOperationException("not yet");
    }
    DraftColumns columns = new DraftColumns(order.drafts(), ids);
    try (PreparedStatement statement = connection.prepareStatement(addPlain)) {
      columns.set(statement, 1);
      if (order.parent().isPresent()) {
        statement.setLong(DraftColumns.COUNT + 1, order.parent().get().value());
      } else {
        statement.setNull(DraftColumns.COUNT + 1, Types.BIGINT);
      }
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

  /** Says whether all are ready at once, and have nothing to do with others. */
  private static boolean isPlain(JobOrder order) {
    if (order.follow() != JobOrder.Follow.NONE || order.depth().isPresent()) {
      return false;
    }
    for (JobDraft draft : order.drafts()) {
      if (draft.unique().isPresent()
          || draft.rules().deadline().isPresent()
          || draft.rules().approval().isPresent()
          || !draft.start().equals(JobStart.NOW)) {
        return false;
      }
    }
    return true;
  }
}
