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
 * @param losses losses and rejoins
 * @param handedOff jobs that were handed to a waiting worker by whoever added them
 * @param refusals how often the server refused completions, by SQL error
 * @param purges what was purged
 * @param unknown jobs whose outcome is UNKNOWN
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
    Losses losses,
    HandoffCounts handedOff,
    Map<String, Long> refusals,
    Purges purges,
    long unknown,
    long refused,
    Map<String, Long> found,
    List<String> violations) {

  /**
   * What packet loss did.
   *
   * @param wanted whether there should be some
   * @param isLong whether there was time for rare ones
   * @param struck how often all packets of a worker were dropped
   * @param rejoined how many of these workers were found gone, and joined again
   */
  record Losses(boolean wanted, boolean isLong, int struck, long rejoined) {}

  /**
   * What was purged while workers that had had a run of it were stopped or cut off.
   *
   * @param wanted whether there should be some
   * @param jobs how many dead letters
   * @param upkeeps how often the tables were maintained right after that
   */
  record Purges(boolean wanted, int jobs, int upkeeps) {}

  /**
   * What was handed off.
   *
   * @param jobs how many jobs
   * @param rescued how many of them were taken from a worker that was gone
   * @param duringLoss how many of those were handed to a worker whose packets were dropped, and run
   *     by another
   */
  record HandoffCounts(long jobs, long rescued, long duringLoss) {}

  /** Returns the line that scripts read. */
  public String line() {
    StringBuilder line = new StringBuilder();
    line.append("jobs=").append(jobs);
    line.append(" runs=").append(runs);
    line.append(" kills=").append(kills);
    line.append(" pauses=").append(pauses);
    line.append(" losses=").append(losses.struck());
    line.append(" rejoined=").append(losses.rejoined());
    line.append(" handed=").append(handedOff.jobs());
    line.append(" handed_rescued=").append(handedOff.rescued());
    line.append(" handed_in_loss=").append(handedOff.duringLoss());
    refusals.forEach(
        (state, count) -> line.append(" refused_").append(state).append('=').append(count));
    line.append(" purged=").append(purges.jobs());
    line.append(" upkeeps=").append(purges.upkeeps());
    line.append(" unknown=").append(unknown);
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
    if (losses.wanted() && losses.struck() == 0) {
      complaints.add("no packets were dropped");
    }
    if (losses.wanted() && losses.rejoined() == 0) {
      complaints.add("no worker lost its membership by packet loss and joined again");
    }
    if (handedOff.jobs() == 0) {
      complaints.add("no job was handed off");
    }
    if (losses.wanted() && losses.isLong() && handedOff.duringLoss() == 0) {
      complaints.add("no job was handed to a worker in a packet loss and done by another");
    }
    refusals.forEach(
        (state, count) -> {
          if (count == 0) {
            complaints.add("no completion was refused with SQL error " + state);
          }
        });
    if (purges.wanted() && purges.jobs() == 0) {
      complaints.add("no job was purged while a worker that had had it was stopped or cut off");
    }
    if (purges.wanted() && purges.upkeeps() == 0) {
      complaints.add("the tables were not maintained while a worker was stopped or cut off");
    }
    if (losses.isLong() && unknown == 0) {
      complaints.add("no AT_MOST_ONCE job was lost while it ran");
    }
    if (refused == 0) {
      complaints.add("no end was refused");
    }
    return complaints;
  }
}
