package dev.monotick.chaos.replica;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection whose end is told, once. */
final class BorrowedConnection {

  private BorrowedConnection() {}

  static Connection of(Connection real, Runnable ended) {
    AtomicBoolean over = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              String name = method.getName();
              try {
                return invoke(real, method, arguments);
              } finally {
                if ((name.equals("close") || name.equals("abort"))
                    && over.compareAndSet(false, true)) {
                  ended.run();
                }
              }
            });
  }

  private static @Nullable Object invoke(
      Connection real, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
