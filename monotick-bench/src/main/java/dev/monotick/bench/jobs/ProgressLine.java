package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchmarkProgress;
import java.util.Locale;

/** Says every two seconds how far something is. */
final class ProgressLine {

  private static final long STEP_NANOS = 2_000_000_000L;

  private final String what;
  private long last = System.nanoTime();

  ProgressLine(String what) {
    this.what = what;
  }

  void at(long done, long all) {
    long now = System.nanoTime();
    if (now - last >= STEP_NANOS) {
      last = now;
      BenchmarkProgress.report(String.format(Locale.ROOT, "  %s: %,d of %,d", what, done, all));
    }
  }
}
