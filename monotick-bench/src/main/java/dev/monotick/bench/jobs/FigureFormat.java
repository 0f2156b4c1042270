package dev.monotick.bench.jobs;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Some values of one thing that was measured several times.
 *
 * @param sorted the values, smallest first
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FigureFormat(double[] sorted) {

  static FigureFormat of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new FigureFormat(sorted);
  }

  static <T> FigureFormat of(Collection<T> things, ToDoubleFunction<T> value) {
    return of(things.stream().mapToDouble(value).toArray());
  }

  boolean isEmpty() {
    return sorted.length == 0;
  }

  /** Returns the middle one, or what is between the two in the middle. */
  double median() {
    if (isEmpty()) {
      return Double.NaN;
    }
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Returns the smallest value that at least this share of all do not exceed. */
  double percentile(double share) {
    return isEmpty() ? Double.NaN : sorted[Math.max(0, (int) Math.ceil(sorted.length * share) - 1)];
  }

  double least() {
    return percentile(0);
  }

  double most() {
    return percentile(1);
  }

  /** Returns the median and, in brackets, the least and the most: {@code 5,102 (5,102–5,263)}. */
  String spread() {
    if (isEmpty()) {
      return "–";
    }
    return sorted.length == 1
        ? format(median())
        : format(median()) + " (" + format(least()) + "–" + format(most()) + ")";
  }

  /** Returns a number with as many digits as a reader can use. */
  static String format(double value) {
    if (Double.isNaN(value)) {
      return "–";
    }
    double size = Math.abs(value);
    String pattern = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, pattern, value);
  }

  /** Returns a ratio for a script to read, without separators. */
  static String ratio(double of, double to) {
    double ratio = of / to;
    return Double.isFinite(ratio)
        ? String.format(Locale.ROOT, ratio >= 10 ? "%.1f" : "%.2f", ratio)
        : "unknown";
  }
}
