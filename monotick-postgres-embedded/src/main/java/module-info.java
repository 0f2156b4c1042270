/** A PostgreSQL server that an application starts and stops itself, for development and tests. */
module dev.monotick.postgres.embedded {
  requires transitive dev.monotick.core;
  requires org.apache.commons.compress;
  requires org.slf4j;
  requires org.tukaani.xz;
  requires static transitive org.jspecify;

  exports dev.monotick.postgres.embedded;
}
