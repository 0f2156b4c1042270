package dev.monotick.engine.tick;

/** Why a body was asked to stop. */
public enum TickCancelReason {
  LEADERSHIP_LOST("leadership was lost", true),
  MEMBERSHIP_LOST("this replica was no longer proven to live", true),
  STOPPING("the engine stopped", true),
  REPLACED("a newer tick replaced it", false),
  TIMEOUT("it took too long", false);

  final String text;

  /** Whether another run may follow, where the effect allows one. */
  final boolean mayRunAgain;

  TickCancelReason(String text, boolean mayRunAgain) {
    this.text = text;
    this.mayRunAgain = mayRunAgain;
  }
}
