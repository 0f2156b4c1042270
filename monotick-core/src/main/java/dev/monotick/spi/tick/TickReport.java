package dev.monotick.spi.tick;

import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reports on a claim. Counts only while the claim is the caller's; sent again without harm.
 *
 * @param claim the claim
 * @param tick its tick
 * @param report what became of it
 */
public record TickReport(TickClaimId claim, TickId tick, Report report) {

  /** What became of a claim. */
  public sealed interface Report permits Ended, GivenBack {}

  /**
   * The tick has its outcome.
   *
   * @param outcome succeeded, failed, timed out or missed
   * @param detail a line for people, null if there is nothing to say
   * @param startedAt when the body was started, null if it was not
   * @param at when the outcome was known
   * @param bodyEnded false if the body still runs, having ignored its cancellation: the task stays
   *     occupied until this is reported again with true
   */
  public record Ended(
      Outcome outcome,
      @Nullable String detail,
      @Nullable Instant startedAt,
      Instant at,
      boolean bodyEnded)
      implements Report {}

  /**
   * The tick waits again, for any replica: its body was not started, or it may be run once more.
   *
   * @param why a line for people
   * @param began whether the body was started; such a tick is run again however late it is
   */
  public record GivenBack(String why, boolean began) implements Report {}
}
