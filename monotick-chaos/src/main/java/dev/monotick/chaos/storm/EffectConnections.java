package dev.monotick.chaos.storm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections for the effects of jobs, used again if they still work: the server ends those whose
 * process stood still in the middle of a commit. Thread-safe.
 */
final class EffectConnections extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;
  private static final int VALID_WITHIN_SECONDS = 5;

  private final transient ConcurrentLinkedQueue<Connection> idle = new ConcurrentLinkedQueue<>();

  @Override
  public Connection getConnection() throws SQLException {
    for (Connection kept = idle.poll(); kept != null; kept = idle.poll()) {
      if (kept.isValid(VALID_WITHIN_SECONDS)) {
        return lent(kept);
      }
      kept.close();
    }
    return lent(super.getConnection());
  }

  private Connection lent(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                takeBack(real);
                return null;
              }
              return invoke(real, method, arguments);
            });
  }

  private void takeBack(Connection real) throws SQLException {
    if (!real.isClosed() && real.getAutoCommit()) {
      idle.add(real);
    } else {
      real.close();
    }
  }

  private static Object invoke(Connection real, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
