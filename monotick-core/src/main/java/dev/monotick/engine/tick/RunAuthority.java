package dev.monotick.engine.tick;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.member.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * On what a replica runs a tick: taken when it claims, and good until any part of it is over. A
 * leadership or membership that was lost and gained again is another one. Thread-safe.
 *
 * @param term the term in which it claims, null unless the mode is LEADER
 * @param membership the proof that it lives, null where no other replica could take the tick
 */
record RunAuthority(@Nullable HeldTerm term, @Nullable LocalLease membership) {

  /** Says whether work may begin. */
  boolean mayStart() {
    return (term == null || term.mayStart()) && (membership == null || membership.isValid());
  }

  /** Says whether running work must stop. */
  boolean isOver() {
    return (term != null && !term.isValid()) || (membership != null && !membership.isValid());
  }
}
