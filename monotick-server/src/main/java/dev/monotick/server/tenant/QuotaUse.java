package dev.monotick.server.tenant;

/** Counts how much of a quota a tenant uses; a bean of whoever keeps what is counted. */
public interface QuotaUse {

  /** Returns what it counts. */
  Quota quota();

  /**
   * Counts, in the open transaction, what is committed and what this transaction added. Called with
   * the tenant locked, so nobody adds meanwhile.
   */
  long used(String tenant);
}
