package dev.monotick.postgres.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/** Tells all replicas that a tick may be taken. */
public interface TickSignals {

  /** Tells them when the transaction commits, if there is a way to do so. */
  void signal(Connection connection) throws SQLException;

  /** Has the listener run whenever it was told; it may come too often, or never. */
  void listen(Runnable listener);

  /** Returns hints that reach nobody: the others look by themselves now and then. */
  static TickSignals none() {
    return new TickSignals() {
      @Override
      public void signal(Connection connection) {}

      @Override
      public void listen(Runnable listener) {}
    };
  }
}
