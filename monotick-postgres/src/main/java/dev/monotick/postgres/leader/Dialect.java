package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.SessionSettings;

/** What a server understands. */
public enum Dialect {

  /**
   * PostgreSQL. The timeline grows when a standby is promoted; it is read from the name of the
   * current WAL file, because after a promotion the control file is behind for a while. A server in
   * recovery has none and fails.
   */
  POSTGRES(
      "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint",
      SessionSettings.durableCommit()),

  /** What speaks PostgreSQL's language and has no such thing as a WAL. */
  PORTABLE("0::bigint", "null::text");

  private final String timeline;
  private final String durable;

  Dialect(String timeline, String durable) {
    this.timeline = timeline;
    this.durable = durable;
  }

  /** Returns SQL of type bigint: which history the server is in. */
  public String timeline() {
    return timeline;
  }

  /**
   * Returns SQL that has the transaction it is part of committed for good, whatever the default:
   * followers conclude from a row that did not change, and one that forgets changes would lie.
   */
  String durable() {
    return durable;
  }
}
