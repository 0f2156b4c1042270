package dev.monotick.leader;

/**
 * A number that strictly grows with every term, carried by every write made as leader.
 *
 * @param timeline history of the store; grows when a standby is promoted, because an asynchronous
 *     failover may forget the last epochs and hand them out again
 * @param epoch counts the terms of one leadership group within a timeline
 */
public record Fence(long timeline, long epoch) implements Comparable<Fence> {

  /** Refuses negative numbers. */
  public Fence {
    if (timeline < 0 || epoch < 0) {
      throw new IllegalArgumentException(
          "fence must not be negative, but was " + timeline + "." + epoch);
    }
  }

  /** Says whether this fence was minted after the other one. */
  public boolean isNewerThan(Fence other) {
    return compareTo(other) > 0;
  }

  @Override
  public int compareTo(Fence other) {
    int byTimeline = Long.compare(timeline, other.timeline);
    return byTimeline != 0 ? byTimeline : Long.compare(epoch, other.epoch);
  }

  @Override
  public String toString() {
    return timeline + "." + epoch;
  }
}
