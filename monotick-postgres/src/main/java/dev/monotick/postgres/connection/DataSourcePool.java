package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's own pool: a connection is opened and closed there for each transaction. */
public final class DataSourcePool implements Pool {

  private static final Logger log = LoggerFactory.getLogger(DataSourcePool.class);

  private final ConnectionSource source;

  /** Creates one. */
  public DataSourcePool(ConnectionSource source) {
    this.source = source;
  }

  @Override
  public Connection borrow() throws SQLException {
    return source.open();
  }

  @Override
  public void giveBack(Connection connection, @Nullable Throwable failure) {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("a connection could not be closed", e);
    }
  }

  @Override
  public void close() {
    // It is the application's.
  }
}
