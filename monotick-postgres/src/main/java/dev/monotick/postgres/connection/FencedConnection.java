package dev.monotick.postgres.connection;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;

/**
 * The connection as the work of a fenced transaction sees it: it cannot end the transaction, which
 * would commit what was never proven to be its own. Whoever unwraps it knows what he does.
 */
final class FencedConnection {

  private static final Set<String> FORBIDDEN = Set.of("commit", "setAutoCommit", "close", "abort");

  private FencedConnection() {}

  /** Returns the connection as the work sees it. */
  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            FencedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean plainRollback = method.getName().equals("rollback") && arguments == null;
              if (FORBIDDEN.contains(method.getName()) || plainRollback) {
                throw new IllegalStateException(
                    "connection."
                        + method.getName()
                        + " is not for the work of a fenced transaction, which would end unproven;"
                        + " return to have it committed, throw to have it rolled back");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
