package dev.monotick.server.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.postgres.connection.SessionSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;

/**
 * The pool of the control plane. Its statements have timeouts that the server enforces, are not
 * compiled, run at READ COMMITTED and commit durably unless the operator decided otherwise,
 * whatever the defaults are. Each connection sets that when it is opened; behind a pooler that
 * keeps no sessions, each transaction does.
 */
final class ServerPool extends HikariDataSource {

  private static final SessionSettings.Limits LIMITS =
      new SessionSettings.Limits(
          Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofSeconds(30));

  private final SessionSettings settings;
  private final Optional<String> pooler;

  /**
   * Creates one that knows no address yet.
   *
   * @param pooler the pooler in between that keeps no sessions, as {@code PoolerProbe} found it
   * @param durable whether commits are made durable
   */
  ServerPool(Optional<String> pooler, boolean durable) {
    this.settings = new SessionSettings(durable, LIMITS);
    this.pooler = pooler;
    if (pooler.isPresent()) {
      addDataSourceProperty("prepareThreshold", "0");
    } else {
      setConnectionInitSql(settings.session());
      addDataSourceProperty("options", "-c plan_cache_mode=force_generic_plan");
    }
  }

  /** Returns what was found between here and the server. */
  Optional<String> pooler() {
    return pooler;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    return pooler.isPresent() ? settings.shared(connection) : connection;
  }

  /** Returns a connection on which the caller sets everything. */
  Connection plainConnection() throws SQLException {
    return super.getConnection();
  }

  /** Returns what begins the transactions of this pool. */
  PlatformTransactionManager transactionManager() {
    return pooler.isPresent() ? new SettingManager(this) : new JdbcTransactionManager(this);
  }

  /** Sets for each transaction what its session does not keep. */
  private static final class SettingManager extends JdbcTransactionManager {

    private static final long serialVersionUID = 1;

    private final transient SessionSettings settings;

    SettingManager(ServerPool pool) {
      super(pool);
      this.settings = pool.settings;
    }

    @Override
    protected void prepareTransactionalConnection(
        Connection connection, TransactionDefinition definition) throws SQLException {
      settings.begin(connection);
      super.prepareTransactionalConnection(connection, definition);
    }
  }
}
