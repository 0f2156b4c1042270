package dev.monotick.postgres.leader;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.FenceMint;
import dev.monotick.replica.ReplicaId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Mints fences for terms that need no lease, those of a replica that is alone. If somebody holds a
 * lease all the same, its next renewal finds that its fence is not the newest, and ends its term.
 */
public final class FenceMinter implements FenceMint {

  private final String sql;

  /**
   * Creates one.
   *
   * @param portable whether the server may be another product than PostgreSQL
   */
  public FenceMinter(Database database, boolean portable) {
    sql = database.sql(LeaseSql.fence(portable ? Dialect.PORTABLE : Dialect.POSTGRES));
  }

  @Override
  public Fence mint(Connection connection, String group, ReplicaId holder) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, group);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Fence(row.getLong(1), row.getLong(2));
      }
    }
  }
}
