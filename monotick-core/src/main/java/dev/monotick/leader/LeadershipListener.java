package dev.monotick.leader;

/**
 * Told when this replica gains or loses a leadership. Called on a thread of its own, in order; a
 * slow listener delays neither the engine nor other listeners, so a call may come when the next
 * change has already happened: ask the term.
 */
public interface LeadershipListener {

  /** A term of this replica began. */
  default void gained(LeaderTerm term) {}

  /** A term of this replica is over. */
  default void lost(LeaderTerm term, LossCause cause) {}

  /** Why a term ended. */
  enum LossCause {
    /** The store said that the term is over. */
    NOT_OURS,
    /** No renewal was acknowledged in time. */
    EXPIRED,
    /** The wall clock and the ticker disagree: the process was suspended, or the clock was set. */
    CLOCKS_DISAGREE,
    /** The replica gave it up: it stops, or was asked to. */
    RELEASED
  }
}
