package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures contenders such that the failure of one does not end a long run: it is said at once and
 * told again in the report.
 */
final class MeasuringAttempts {

  private final List<String> failures = new ArrayList<>();

  /** Something that is measured. */
  interface Attempt<T> {
    T make() throws Exception;
  }

  /** Returns what was measured, or nothing if the contender failed. */
  <T> Optional<T> attempt(Contender contender, Attempt<T> attempt) throws Exception {
    try {
      return Optional.of(attempt.make());
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      BenchmarkProgress.report("FAILED: " + message);
      failures.add(
          "- **" + contender.name() + " failed**: " + message.lines().findFirst().orElse(""));
      return Optional.empty();
    }
  }

  /** Tells what failed. */
  void addTo(BenchmarkReport report) {
    failures.forEach(report::note);
  }
}
