package dev.monotick.postgres.connection;

import dev.monotick.work.SqlWork;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction of the application's own, which commits only with a proof that is in the same
 * database. The proof is asked for at the end, right before the commit, so that it is locked no
 * longer than a commit takes. Thread-safe.
 */
public final class FenceCheckedTransaction {

  private static final Logger log = LoggerFactory.getLogger(FenceCheckedTransaction.class);

  private final Database database;
  private final String identity;
  private volatile @Nullable UUID store;

  /** What the transaction may commit with. */
  public interface Proof {

    /** Returns what is proven, for people: {@code tick ..}, {@code job ..}. */
    String subject();

    /** Refuses early, by throwing, what would be refused anyway. Locks nothing. */
    void refuseEarly();

    /** Proves it in the transaction, or throws; what it locks is locked until the commit. */
    void prove(Connection connection) throws SQLException;

    /** Returns if the commit happened although it failed to say so; else throws. */
    void resolve(SQLException failure) throws SQLException;
  }

  /** Creates one for proofs that are in this database. */
  public FenceCheckedTransaction(Database database) {
    this.database = database;
    this.identity = database.sql("select id from @store");
  }

  /**
   * Does the work and commits it.
   *
   * @throws SQLException if the work or the commit failed; nothing was written
   */
  public void run(DataSource dataSource, SqlWork work, Proof proof) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      requireSameStore(connection, proof);
      proof.refuseEarly();
      connection.setAutoCommit(false);
      boolean committing = false;
      try {
        work.run(FencedConnection.of(connection));
        requireOpen(connection, proof);
        database.beginProof(connection);
        proof.prove(connection);
        committing = true;
        connection.commit();
      } catch (Throwable e) { // also what is not declared, or to restore would be to commit
        rollback(connection, e);
        if (!committing || !(e instanceof SQLException failure)) {
          throw e;
        }
        proof.resolve(failure);
      } finally {
        restore(connection, autoCommit);
      }
    }
  }

  /** A proof in another database proves nothing. */
  private void requireSameStore(Connection connection, Proof proof) throws SQLException {
    UUID own = store;
    if (own == null) {
      own = database.once("reading the store's identity", this::identity);
      store = own;
    }
    UUID theirs;
    try {
      theirs = identity(connection);
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      throw new IllegalArgumentException(
          "dataSource leads to a database without the store's tables ("
              + SqlFailures.describe(e)
              + "); give one that leads to the store's own database, under a role that may use its"
              + " schema",
          e);
    }
    if (!own.equals(theirs)) {
      throw new IllegalArgumentException(
          "dataSource leads to the store "
              + theirs
              + " instead of "
              + own
              + ", where "
              + proof.subject()
              + " is; give one that leads to the same database");
    }
  }

  private UUID identity(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(identity);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, UUID.class);
    }
  }

  /** Work that committed has already had whatever it wrote after its last commit. */
  private static void requireOpen(Connection connection, Proof proof) throws SQLException {
    if (connection.isClosed() || connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the work of "
              + proof.subject()
              + " ended its transaction by itself, so that it could not be fenced; leave commit,"
              + " rollback, close and setAutoCommit to the engine");
    }
  }

  private static void rollback(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static void restore(Connection connection, boolean autoCommit) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(autoCommit);
      }
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e); // what was done is done
    }
  }
}
