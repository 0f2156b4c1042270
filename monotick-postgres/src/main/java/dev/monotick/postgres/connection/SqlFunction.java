package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** Something done with a connection. */
@FunctionalInterface
public interface SqlFunction<T> {

  /** Does it. */
  T apply(Connection connection) throws SQLException;
}
