package dev.monotick.cli;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  @Override
  protected Set<String> placesForClocks() {
    return Set.of("dev.monotick.cli"); // a command is run now
  }

  @Override
  protected Set<String> placesForPrinting() {
    return Set.of("dev.monotick.cli");
  }

  @Override
  protected Set<String> placesForThreads() {
    return Set.of("dev.monotick.cli.agent.StopSignal"); // signals reach a process by a thread
  }
}
