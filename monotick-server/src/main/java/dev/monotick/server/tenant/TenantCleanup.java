package dev.monotick.server.tenant;

/** Does away with what a tenant leaves behind, when it is deleted; a bean of whoever keeps it. */
public interface TenantCleanup {

  /**
   * Deletes, in the open transaction, what nobody misses. Called with the tenant locked.
   *
   * @throws dev.monotick.server.problem.Problem if there is something that somebody would miss
   */
  void cleanUp(String tenant);
}
