package dev.monotick.server.statistics;

import java.util.ArrayList;
import java.util.List;

/**
 * Lengths of time, counted by how long they were: below the first bound, below the second, and so
 * on. What share was shorter than what is told from that, to about a fifth of the truth.
 */
final class Histogram {

  /** In microseconds: six to a decade, from a millisecond to two hours. Stored sums rely on it. */
  private static final Long[] BOUNDS = bounds();

  private Histogram() {}

  private static Long[] bounds() {
    List<Long> bounds = new ArrayList<>();
    for (long decade = 100; decade <= 100_000_000L; decade *= 10) {
      for (long step : List.of(10, 15, 20, 30, 50, 70)) {
        bounds.add(decade * step);
      }
    }
    return bounds.toArray(Long[]::new);
  }

  static Long[] boundsInMicros() {
    return BOUNDS.clone();
  }

  /** Returns the sum of both. */
  static List<Long> sum(List<Long> a, List<Long> b) {
    List<Long> sum = new ArrayList<>(Math.max(a.size(), b.size()));
    for (int i = 0; i < Math.max(a.size(), b.size()); i++) {
      sum.add((i < a.size() ? a.get(i) : 0) + (i < b.size() ? b.get(i) : 0));
    }
    return sum;
  }

  /** Returns how long the given share took at most, within the bounds evenly spread. */
  static long quantile(List<Long> counts, double share, long longest) {
    long all = counts.stream().mapToLong(Long::longValue).sum();
    if (all == 0) {
      return 0;
    }
    double wanted = share * all;
    long before = 0;
    for (int i = 0; i < counts.size(); i++) {
      long here = counts.get(i);
      if (here > 0 && before + here >= wanted) {
        long low = i == 0 ? 0 : BOUNDS[i - 1];
        long high = Math.max(low, i < BOUNDS.length ? Math.min(BOUNDS[i], longest) : longest);
        return Math.min(longest, low + Math.round((high - low) * (wanted - before) / here));
      }
      before += here;
    }
    return longest;
  }
}
