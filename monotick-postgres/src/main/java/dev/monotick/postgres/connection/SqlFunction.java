package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Something done with a connection. */
@FunctionalInterface
public interface SqlFunction<T extends @Nullable Object> {

  /** Does it. */
  T apply(Connection connection) throws SQLException;
}
