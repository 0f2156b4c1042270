package dev.monotick.postgres.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.replica.ReplicaId;
import java.sql.Connection;
import java.sql.SQLException;

/** Begins terms. */
@FunctionalInterface
public interface FenceMint {

  /** Returns a fence newer than all before it, as part of the caller's transaction. */
  Fence mint(Connection connection, String group, ReplicaId holder) throws SQLException;
}
