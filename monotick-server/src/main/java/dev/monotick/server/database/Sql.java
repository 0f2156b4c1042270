package dev.monotick.server.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * SQL on the control plane's tables. What is done in one {@link #transaction} is done together or
 * not at all; a transaction within another is part of it. Thread-safe.
 */
public final class Sql {

  /** Something that needs the connection itself, such as enqueueing a job. */
  @FunctionalInterface
  public interface OnConnection<T> {

    /** Does it. */
    T apply(Connection connection) throws SQLException;
  }

  private final TableNames tables;
  private final DataSource dataSource;
  private final JdbcClient client;
  private final TransactionTemplate transactions;
  private final Map<String, String> resolved = new ConcurrentHashMap<>();

  Sql(TableNames tables, DataSource dataSource, PlatformTransactionManager manager) {
    this.tables = tables;
    this.dataSource = dataSource;
    this.client = JdbcClient.create(dataSource);
    this.transactions = new TransactionTemplate(manager);
  }

  /**
   * Begins a statement; see {@link TableNames} for the names of tables in it. Templates are
   * constants.
   */
  public JdbcClient.StatementSpec of(String template) {
    return client.sql(resolved.computeIfAbsent(template, tables::sql));
  }

  /** Begins a statement whose text was put together for this one use. */
  public JdbcClient.StatementSpec composed(String template) {
    return client.sql(tables.sql(template));
  }

  /** Does something in one transaction and returns what it returns. */
  public <T extends @Nullable Object> T transaction(Supplier<T> work) {
    @SuppressWarnings("NullAway") // what the work returns is what the template returns
    T result = transactions.execute(status -> work.get());
    return result;
  }

  /** Does something in one transaction. */
  public void inTransaction(Runnable work) {
    transactions.executeWithoutResult(status -> work.run());
  }

  /** Does something on the connection of the transaction that is open. */
  public <T> T onConnection(OnConnection<T> work) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      return work.apply(connection);
    } catch (SQLException e) {
      throw new UncategorizedSQLException("working on a connection", null, e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }
}
