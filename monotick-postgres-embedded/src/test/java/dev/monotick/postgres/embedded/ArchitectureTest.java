package dev.monotick.postgres.embedded;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  @Override
  protected Set<String> placesForThreads() {
    // The JVM takes a thread for what is to be done when it ends.
    return Set.of("dev.monotick.postgres.embedded.ExitHook");
  }
}
