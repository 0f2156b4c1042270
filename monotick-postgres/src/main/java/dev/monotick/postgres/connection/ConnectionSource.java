package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from. Thread-safe. */
@FunctionalInterface
public interface ConnectionSource {

  /** Returns a connection that the caller closes. */
  Connection open() throws SQLException;
}
