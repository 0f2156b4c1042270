package dev.monotick.spi.job;

import java.util.Optional;
import java.util.function.Supplier;

/** Takes notifications of jobs that were handed off. */
@FunctionalInterface
public interface HandoffListener {

  /**
   * A job may have been claimed under an offer. A hint: it may come late, twice or never, and be
   * about an offer that was withdrawn. Called on a thread of the store, which waits for the return.
   *
   * @param number the number of the offer
   * @param claim reads the claim, on this thread and before this method returns; empty if there is
   *     no claim under the number. Fails as calls of the store do
   */
  void handedOff(long number, Supplier<Optional<ClaimReply>> claim);
}
