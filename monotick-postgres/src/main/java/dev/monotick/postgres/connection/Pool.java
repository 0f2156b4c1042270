package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Lends connections for short transactions. Thread-safe. */
public interface Pool extends AutoCloseable {

  /** Lends a connection. */
  Connection borrow() throws SQLException;

  /**
   * Takes a connection back.
   *
   * @param failure what went wrong with it last, null if nothing did
   */
  void giveBack(Connection connection, @Nullable Throwable failure);

  /** Frees what it keeps. */
  @Override
  void close();
}
