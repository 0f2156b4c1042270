package dev.monotick.bench;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  @Override
  protected Set<String> placesForClocks() {
    return Set.of("dev.monotick.bench"); // what is measured here is real time
  }

  @Override
  protected Set<String> placesForThreads() {
    return Set.of(
        "dev.monotick.bench.postgres.ClaimsBenchmark", // plays several callers
        "dev.monotick.bench.server.ServerBenchmark", // the same
        "dev.monotick.bench.contender.JobSenders", // the same
        "dev.monotick.bench.contender.RawSqlEngine"); // a worker without any engine
  }

  @Override
  protected Set<String> placesForPrinting() {
    return Set.of("dev.monotick.bench");
  }
}
