package dev.monotick.leader;

import java.time.Duration;
import java.time.Instant;

/** One unbroken stretch of leadership of this replica, live: ask it again before each action. */
public interface LeaderTerm {

  /** Returns the leadership group. */
  String group();

  /** Returns the number that orders this term among all of its group. */
  Fence fence();

  /** Returns when the term began, by this replica's wall clock. */
  Instant since();

  /**
   * Says whether this replica may act as leader right now. Needs no I/O; once false, never true.
   */
  boolean isValid();

  /** Returns how long the term may be relied on without a further renewal; zero once it is over. */
  Duration validFor();
}
