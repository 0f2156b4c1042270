package dev.monotick.postgres.leader;

/** How the history a server is in is told apart from others. */
public enum Timeline {

  /**
   * By the server's own timeline, which grows when a standby is promoted. It is read from the name
   * of the current WAL file: after a promotion the control file is behind for a while.
   */
  OF_WAL("('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"),

  /** Not at all: for servers that have no such thing. */
  UNKNOWN("0::bigint");

  private final String sql;

  Timeline(String sql) {
    this.sql = sql;
  }

  /** Returns SQL of type bigint. Fails on a server that is in recovery. */
  public String sql() {
    return sql;
  }
}
