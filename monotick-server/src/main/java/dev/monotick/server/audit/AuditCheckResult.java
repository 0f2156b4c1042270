package dev.monotick.server.audit;

import org.jspecify.annotations.Nullable;

/**
 * What came out of looking at a chain.
 *
 * @param intact whether all is as it must be
 * @param after events up to this number were taken for granted
 * @param to the last number that was found to be right
 * @param hash its hash: keep it elsewhere, and nobody can rewrite the chain up to it unnoticed
 * @param checked how many events were looked at
 * @param brokenAt the first number that is not as it must be; null if all are
 * @param reason what is wrong with it; null if nothing is
 */
public record AuditCheckResult(
    boolean intact,
    long after,
    long to,
    String hash,
    long checked,
    @Nullable Long brokenAt,
    @Nullable String reason) {

  static AuditCheckResult of(long after, AuditChainCheck check) {
    AuditChainCheck.Break broken = check.broken();
    return new AuditCheckResult(
        broken == null,
        after,
        check.end().seq(),
        check.end().hash(),
        check.checked(),
        broken == null ? null : broken.seq(),
        broken == null ? null : broken.reason());
  }
}
