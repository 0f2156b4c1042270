package dev.monotick.bench.jobs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long jobs waited until they began, in milliseconds.
 *
 * @param sinceReturn since the call that added the job returned; less than 0 if it began before
 * @param sinceCall since that call began
 * @param calls how long those calls took
 * @param missing how many jobs did not begin
 */
record WaitTimes(
    FigureFormat sinceReturn, FigureFormat sinceCall, FigureFormat calls, int missing) {

  /**
   * Puts together what the sender and the worker tell.
   *
   * @param sent {@code number:begun:returned,..} in microseconds
   * @param started {@code number:begun,..}
   */
  static WaitTimes of(String sent, String started) {
    Map<String, Long> starts = new HashMap<>();
    for (String each : started.split(",", -1)) {
      if (!each.isEmpty()) {
        String[] parts = each.split(":", -1);
        starts.put(parts[0], Long.parseLong(parts[1]));
      }
    }
    List<Double> sinceReturn = new ArrayList<>();
    List<Double> sinceCall = new ArrayList<>();
    List<Double> calls = new ArrayList<>();
    int missing = 0;
    for (String each : sent.split(",", -1)) {
      String[] parts = each.split(":", -1);
      Long start = starts.get(parts[0]);
      long begun = Long.parseLong(parts[1]);
      long returned = Long.parseLong(parts[2]);
      calls.add((returned - begun) / 1e3);
      if (start == null) {
        missing++;
      } else {
        sinceReturn.add((start - returned) / 1e3);
        sinceCall.add((start - begun) / 1e3);
      }
    }
    return new WaitTimes(
        FigureFormat.of(sinceReturn, value -> value),
        FigureFormat.of(sinceCall, value -> value),
        FigureFormat.of(calls, value -> value),
        missing);
  }
}
