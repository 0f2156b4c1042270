package dev.monotick.testkit;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  @Override
  protected Set<String> placesForThreads() {
    return Set.of("dev.monotick.testkit.contract.Race"); // races are run by real threads
  }
}
