package dev.monotick.worker;

/** Why a handler was asked to stop. */
enum StopCause {
  /** Somebody ended the run. */
  CANCELLED("it was cancelled"),
  /** It took too long. */
  TIMEOUT("it took too long"),
  /** Others may take it. */
  MEMBERSHIP_LOST("this replica was no longer proven to live"),
  /** The engine stops. */
  STOPPING("the engine stopped");

  final String text;

  StopCause(String text) {
    this.text = text;
  }

  /** Says whether the run is given back, rather than counted as an attempt. */
  boolean givesBack() {
    return this == MEMBERSHIP_LOST || this == STOPPING;
  }
}
