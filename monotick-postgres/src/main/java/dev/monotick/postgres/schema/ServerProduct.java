package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Databases that speak PostgreSQL's protocol, but lack what the store relies on. */
final class ServerProduct {

  /** Every Aurora DSQL cluster has this table, and its version() says PostgreSQL. */
  private static final String DSQL =
      "select count(*) > 0 from pg_catalog.pg_class c join pg_catalog.pg_namespace n"
          + " on n.oid = c.relnamespace where n.nspname = 'sys'"
          + " and c.relname = 'iam_pg_role_mappings'";

  private ServerProduct() {}

  /** Refuses, by name, a product that the store cannot work with. */
  static void check(Connection connection) throws SQLException {
    String version = ask(connection, "select version()");
    if (version.contains("CockroachDB")) {
      throw new SchemaException(
          "the server is CockroachDB ("
              + version
              + "), which is not supported: its advisory locks exclude nobody, and it has no LISTEN"
              + " and no snapshots; use PostgreSQL 14 or newer");
    }
    if (isDsqlAddress(connection.getMetaData().getURL()) || hasDsqlTables(connection)) {
      throw new SchemaException(
          "the server is Aurora DSQL, which is not supported: it has no advisory locks, sequences,"
              + " partitions or triggers; use PostgreSQL 14 or newer, such as Aurora PostgreSQL");
    }
  }

  private static boolean hasDsqlTables(Connection connection) throws SQLException {
    String found;
    try {
      found = ask(SessionSettings.DEFAULT.shared(connection), DSQL);
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      found = ask(connection, DSQL); // the settings were refused, which a product of others may do
    }
    return found.startsWith("t");
  }

  static boolean isDsqlAddress(@Nullable String url) {
    String address = url == null ? "" : url.toLowerCase(Locale.ROOT);
    return address.contains(".dsql.") && address.contains(".on.aws");
  }

  private static String ask(Connection connection, String question) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
