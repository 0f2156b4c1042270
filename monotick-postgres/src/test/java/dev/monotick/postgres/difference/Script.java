package dev.monotick.postgres.difference;

import dev.monotick.spi.job.EnqueueRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Short words for sequences that a test writes down. All jobs are in the first lane. */
final class Script {

  private Script() {}

  static Step enqueue(String label) {
    return enqueue(label, Optional.empty());
  }

  static Step enqueue(String label, Optional<Duration> deadline) {
    Draft draft =
        new Draft(
            label,
            0,
            Duration.ZERO,
            3,
            false,
            deadline,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    return new Step.Enqueue(
        List.of(draft), EnqueueRequest.Follow.NONE, Optional.empty(), Optional.empty());
  }

  static Step claim(int replica, long number) {
    return new Step.Turn(replica, 0, number, List.of(), 5, 0, false);
  }

  static Step claimOne(int replica, long number) {
    return new Step.Turn(replica, 0, number, List.of(), 1, 0, false);
  }

  /** A turn of the membership that many ago, once more. */
  static Step late(int replica, int ago, long number) {
    return new Step.Turn(replica, ago, number, List.of(), 5, 0, true);
  }

  static Step report(int replica, String label, int run, Report.How how) {
    return report(replica, 0, label, run, how);
  }

  /** A report by the membership that many ago. */
  static Step report(int replica, int ago, String label, int run, Report.How how) {
    Report report = new Report(label, run, 1, how, Duration.ZERO, true);
    return new Step.Turn(replica, ago, 0, List.of(report), 0, 0, false);
  }
}
