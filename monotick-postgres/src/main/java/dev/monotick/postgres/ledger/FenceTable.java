package dev.monotick.postgres.ledger;

import dev.monotick.internal.ledger.FenceCheck;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.tick.LeaderProof;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The statements on the table of fences. Thread-safe: has no state but the text of its SQL. */
final class FenceTable {

  private final String share;

  FenceTable(Database database) {
    // The share lock is held to the end of the transaction: a newer term begins after it or before.
    share =
        database.sql(
            "select f.group_name, f.timeline, f.epoch from @fence f where f.group_name = any (?)"
                + " order by f.group_name for share of f");
  }

  /**
   * Returns who may write in this transaction: no newer term begins before it ended. Locks fences
   * before the caller locks tasks, as everybody does.
   */
  FenceCheck share(Connection connection, Collection<LeaderProof> proofs) throws SQLException {
    List<String> groups = proofs.stream().map(LeaderProof::group).distinct().toList();
    if (groups.isEmpty()) {
      return proof -> proof != null;
    }
    Map<String, Fence> newest = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(share)) {
      LedgerColumns.set(statement, 1, "text", groups, group -> group);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          newest.put(row.getString(1), new Fence(row.getLong(2), row.getLong(3)));
        }
      }
    }
    return proof -> proof != null && !proof.fence().equals(newest.get(proof.group()));
  }
}
