package dev.monotick.chaos.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What came of a storm.
 *
 * @param jobs how many were added
 * @param runs how many handlers began
 * @param kills workers killed
 * @param pauses workers stopped in their tracks
 * @param longPauses those of them that were longer than the lease
 * @param refused ends that were refused, because their runs had been ended by others
 * @param found how often each rule was violated, by the name of its group
 * @param violations what was violated, for people
 */
public record StormResult(
    long jobs,
    long runs,
    int kills,
    int pauses,
    int longPauses,
    long refused,
    Map<String, Long> found,
    List<String> violations) {

  /** Returns the line that scripts read. */
  public String line() {
    StringBuilder line = new StringBuilder();
    line.append("jobs=").append(jobs);
    line.append(" runs=").append(runs);
    line.append(" kills=").append(kills);
    line.append(" pauses=").append(pauses);
    line.append(" refused=").append(refused);
    found.forEach((name, count) -> line.append(' ').append(name).append('=').append(count));
    return line.toString();
  }

  /** Returns what is wrong, which includes that nothing could have gone wrong. */
  public List<String> complaints() {
    List<String> complaints = new ArrayList<>(violations);
    if (kills == 0) {
      complaints.add("no worker was killed");
    }
    if (longPauses == 0) {
      complaints.add("no worker was paused for longer than its lease");
    }
    if (refused == 0) {
      complaints.add("no end was refused");
    }
    return complaints;
  }
}
