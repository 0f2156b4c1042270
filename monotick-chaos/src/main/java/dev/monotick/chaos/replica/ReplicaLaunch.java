package dev.monotick.chaos.replica;

/**
 * What one start of a replica has for itself.
 *
 * @param called what it calls itself, which another replica may do as well
 * @param rate how fast its clocks run, 1 for as fast as everybody's
 * @param edition which definition it has of the task that is edited, from 1
 */
public record ReplicaLaunch(String called, double rate, int edition) {

  /** Returns an ordinary start. */
  public static ReplicaLaunch of(String name) {
    return new ReplicaLaunch(name, 1, 1);
  }
}
