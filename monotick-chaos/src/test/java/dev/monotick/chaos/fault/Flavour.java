package dev.monotick.chaos.fault;

/** The ways in which replicas can use the database. */
enum Flavour {
  /** A session holds an advisory lock. */
  ADVISORY("ADVISORY_LEASE", false),
  /** A row says who leads. */
  ROW("LEASE_ROW", false),
  /** A row, polling, and nothing that a pooler would not let through. */
  PORTABLE("LEASE_ROW", true);

  final String leadership;
  final boolean portable;

  Flavour(String leadership, boolean portable) {
    this.leadership = leadership;
    this.portable = portable;
  }
}
