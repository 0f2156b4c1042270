package dev.monotick.bench.jobs;

import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What processes ran, and when: the sum of their reports.
 *
 * @param executed how many jobs were run, each time counted
 * @param numbers which
 * @param perMilli how many in each millisecond that has any
 */
record RunCourse(long executed, BitSet numbers, TreeMap<Long, Long> perMilli) {

  /** Reads reports such as {@code 15 //8= 1789:3,1790:12}. */
  static RunCourse of(List<String> reports) {
    RunCourse sum = new RunCourse(0, new BitSet(), new TreeMap<>());
    for (String report : reports) {
      sum = sum.plus(report);
    }
    return sum;
  }

  private RunCourse plus(String report) {
    String[] parts = report.split(" ", -1);
    BitSet all = (BitSet) numbers.clone();
    all.or(BitSet.valueOf(Base64.getDecoder().decode(parts[1])));
    TreeMap<Long, Long> times = new TreeMap<>(perMilli);
    if (!parts[2].isEmpty()) {
      for (String each : parts[2].split(",", -1)) {
        int colon = each.indexOf(':');
        times.merge(
            Long.parseLong(each, 0, colon, 10),
            Long.parseLong(each, colon + 1, each.length(), 10),
            Long::sum);
      }
    }
    return new RunCourse(executed + Long.parseLong(parts[0]), all, times);
  }

  /** Returns how many were run again. */
  long duplicates() {
    return executed - numbers.cardinality();
  }

  /** Returns the millisecond in which the {@code count}th was run. */
  long when(long count) {
    long sum = 0;
    for (Map.Entry<Long, Long> each : perMilli.entrySet()) {
      sum += each.getValue();
      if (sum >= count) {
        return each.getKey();
      }
    }
    throw new IllegalArgumentException("only " + sum + " were run, not " + count);
  }

  /** Returns jobs per second from one count to another. */
  double rate(long from, long to) {
    long millis = Math.max(1, when(to) - when(Math.max(1, from)));
    return (to - from) * 1000.0 / millis;
  }

  /** Returns jobs per second from 20 % to 95 % of so many, which leaves out most of the start. */
  double steady(long jobs) {
    return rate(jobs / 5, jobs * 95 / 100);
  }
}
