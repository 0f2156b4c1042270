package dev.monotick.postgres.ledger;

import dev.monotick.ledger.TickId;
import dev.monotick.postgres.connection.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** The tables of the ledger. */
record Tables(Database database, TaskTable tasks, TickTable ticks, FenceTable fences) {

  static Tables of(Database database) {
    return new Tables(
        database, new TaskTable(database), new TickTable(database), new FenceTable(database));
  }

  /** Locks and reads tasks; see {@link TaskBatch}. */
  TaskBatch load(Connection connection, Collection<String> names) throws SQLException {
    return TaskBatch.load(connection, tasks, ticks, names, List.of());
  }

  /** Locks and reads tasks, and these ticks of theirs even if they are history. */
  TaskBatch load(Connection connection, Collection<String> names, Collection<TickId> wanted)
      throws SQLException {
    return TaskBatch.load(connection, tasks, ticks, names, wanted);
  }
}
