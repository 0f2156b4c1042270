/** A store in a PostgreSQL database, shared by all replicas. */
@SuppressWarnings("requires-automatic") // the PostgreSQL driver is not a named module
module dev.monotick.postgres {
  requires transitive dev.monotick.core;
  requires transitive java.sql;
  requires org.postgresql.jdbc;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.monotick.postgres;
  exports dev.monotick.postgres.migration;
  exports dev.monotick.postgres.connection to
      org.postgresql.jdbc; // the driver creates our socket factory by reflection
}
