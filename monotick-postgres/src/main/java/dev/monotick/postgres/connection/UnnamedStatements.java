package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Connections on which nothing is prepared by name: behind a pooler the next statement may reach
 * another server process, which has never heard of that name.
 */
public final class UnnamedStatements implements ConnectionSource {

  private final ConnectionSource source;

  /** Creates one. */
  public UnnamedStatements(ConnectionSource source) {
    this.source = source;
  }

  @Override
  public Connection open() throws SQLException {
    Connection connection = source.open();
    try {
      if (connection.isWrapperFor(PGConnection.class)) {
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }
}
