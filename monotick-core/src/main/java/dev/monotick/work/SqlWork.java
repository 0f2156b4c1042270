package dev.monotick.work;

import dev.monotick.task.TaskContext;
import java.sql.Connection;
import java.sql.SQLException;

/** What a body does in a {@linkplain TaskContext#fencedTransaction fenced transaction}. */
@FunctionalInterface
public interface SqlWork {

  /** Does it. The connection is in a transaction; leave commit and rollback to the caller. */
  void run(Connection connection) throws SQLException;
}
