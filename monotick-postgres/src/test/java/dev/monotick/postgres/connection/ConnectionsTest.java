package dev.monotick.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** In which state connections are given back, and which are used again. */
@Timeout(60)
class ConnectionsTest {

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final Queue<Connection> physical = new ConcurrentLinkedQueue<>();
  private final AtomicInteger closed = new AtomicInteger();

  @AfterEach
  void close() throws SQLException {
    for (Connection connection : physical) {
      connection.close();
    }
    test.close();
  }

  /** Not every pool undoes what was set. */
  @Test
  void connectionsOfTheApplicationKeepTheirNetworkTimeout() throws SQLException {
    PGSimpleDataSource direct = direct();
    try (PostgresStore store =
        PostgresStore.builder()
            .dataSource(pool())
            .directDataSource(direct)
            .schema(test.schema())
            .build()) {
      assertThat(store.ledger().states(List.of("none"))).isEmpty();
      assertThat(physical).isNotEmpty();
      for (Connection connection : physical) {
        assertThat(connection.getNetworkTimeout()).isZero();
      }
    }
  }

  /** One that is aborted but not closed would occupy its place in a pool for ever. */
  @Test
  void sessionThatEndsGivesItsConnectionBackToThePool() {
    DataSource pool = pool();
    try (Session session = new Session(pool::getConnection, connection -> true)) {
      session.call("something", Duration.ofSeconds(5), connection -> true);
      session.abort();
      assertThat(closed).hasValue(1);
      assertThatThrownBy(
              () ->
                  session.call(
                      "something",
                      Duration.ofSeconds(5),
                      connection -> execute(connection, "select 1 / 0")))
          .isInstanceOf(RuntimeException.class);
      assertThat(closed).hasValue(2);
    }
  }

  /** As after a failover, when a name still leads to what is a standby now. */
  @Test
  void connectionToAServerThatBecameReadOnlyIsNotUsedAgain() throws SQLException {
    AtomicInteger opened = new AtomicInteger();
    ConnectionSource source =
        () -> {
          Connection connection = test.connect();
          if (opened.incrementAndGet() == 1) {
            execute(connection, "set default_transaction_read_only = on");
          }
          return connection;
        };
    try (KeptPool pool = new KeptPool(source, 2)) {
      Database database = new Database(pool, source, SchemaName.DEFAULT);
      SqlFunction<Boolean> write =
          connection -> execute(connection, "create schema " + test.schema());
      assertThatThrownBy(() -> database.inTransaction("writing", write))
          .isInstanceOf(StoreException.class);
      assertThat(database.inTransaction("writing", write)).isTrue();
    }
  }

  private static boolean execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return true;
    }
  }

  private PGSimpleDataSource direct() {
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setUrl(test.url());
    direct.setUser(test.user());
    direct.setPassword(test.password());
    return direct;
  }

  /** Returns a pool that closes nothing: whoever closes a connection gives it back. */
  private DataSource pool() {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                return method.invoke(direct(), arguments);
              }
              Connection real = test.connect();
              physical.add(real);
              return pooled(real);
            });
  }

  private Connection pooled(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                closed.incrementAndGet();
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
