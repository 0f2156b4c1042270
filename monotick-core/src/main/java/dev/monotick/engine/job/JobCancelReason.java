package dev.monotick.engine.job;

/** Why a handler was asked to stop. */
enum JobCancelReason {
  /** Somebody cancelled it. */
  CANCELLED("it was cancelled"),
  /** The store says that the run is over, and nobody here ended it. */
  OVER("others ended its run"),
  /** It took too long. */
  TIMEOUT("it took too long"),
  /** Others may take it. */
  MEMBERSHIP_LOST("this replica was no longer proven to live"),
  /** The engine stops. */
  STOPPING("the engine stopped");

  final String text;

  JobCancelReason(String text) {
    this.text = text;
  }

  /** Says whether the run is given back, rather than counted as an attempt. */
  boolean givesBack() {
    return this == MEMBERSHIP_LOST || this == STOPPING;
  }

  /** Says whether the store knows already that the run is over. */
  boolean isOver() {
    return this == CANCELLED || this == OVER;
  }
}
