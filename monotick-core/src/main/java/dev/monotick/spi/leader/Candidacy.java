package dev.monotick.spi.leader;

import dev.monotick.leader.Fence;
import java.time.Duration;
import java.util.Optional;

/**
 * One replica's part in the election of one group. The engine makes one call at a time, except for
 * {@link #abandon} and {@link #close}, which may interrupt any other. Calls block for at most the
 * renew timeout and throw {@link dev.monotick.error.StoreException} where the store gave no
 * definite answer.
 */
public interface Candidacy extends AutoCloseable {

  /**
   * Tries once, without waiting for the holder. Returns the fence of the new term, greater than all
   * before it, or empty while another term may still be running.
   */
  Optional<Fence> tryAcquire();

  /**
   * Extends the term. False if it is definitely over, also if its lease had run out but nobody took
   * it: a late renewal never revives a term.
   */
  boolean renew(Fence fence);

  /**
   * Ends the term so that another replica can begin at once; without effect if it is not the
   * current one. Called only after all work of the term has ended.
   */
  void release(Fence fence);

  /**
   * Gives up without a word to the store: drops connections, never waits for the network. Called
   * when a term was lost; the lease then runs out by itself.
   */
  void abandon();

  /**
   * Asks to be told when the lease may have become free, so that a hand-over need not wait for the
   * next attempt. A hint: it may come too often, or never. Called before the first attempt.
   */
  default void whenFreed(Runnable listener) {}

  /**
   * Asks to be told when something happened that may have ended the term, so that it is renewed, or
   * found to be over, before the next renewal is due. A hint: it may come too often, or never.
   * Called before the first attempt.
   */
  default void whenDoubtful(Runnable listener) {}

  /**
   * Returns how long it takes until the lease of a holder that stays silent has run out, where the
   * candidate knows and it has not yet; a follower tries no later than then. Never waits.
   */
  default Optional<Duration> mayBeFreeIn() {
    return Optional.empty();
  }

  /** Frees all resources. Does not release a term that is held. */
  @Override
  void close();
}
