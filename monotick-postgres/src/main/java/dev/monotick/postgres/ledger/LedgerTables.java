package dev.monotick.postgres.ledger;

import dev.monotick.postgres.connection.Database;
import dev.monotick.tick.TickId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** The tables of the ledger. */
record LedgerTables(Database database, SeriesTable tasks, TickTable ticks, FenceTable fences) {

  static LedgerTables of(Database database) {
    return new LedgerTables(
        database, new SeriesTable(database), new TickTable(database), new FenceTable(database));
  }

  /** Locks and reads tasks; see {@link SeriesBatch}. */
  SeriesBatch load(Connection connection, Collection<String> names) throws SQLException {
    return SeriesBatch.load(connection, tasks, ticks, names, List.of());
  }

  /** Locks and reads tasks, and these ticks of theirs even if they are history. */
  SeriesBatch load(Connection connection, Collection<String> names, Collection<TickId> wanted)
      throws SQLException {
    return SeriesBatch.load(connection, tasks, ticks, names, wanted);
  }
}
