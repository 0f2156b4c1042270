package dev.monotick.chaos;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  private static final Set<String> HERE = Set.of("dev.monotick.chaos");

  @Override
  protected Set<String> placesForClocks() {
    return HERE; // the histories of all processes are laid side by side on the machine's own clock
  }

  @Override
  protected Set<String> placesForThreads() {
    return HERE; // processes, sockets and pipes are all waited for at the same time
  }

  @Override
  protected Set<String> placesForPrinting() {
    return HERE; // standard output is how processes tell their history
  }
}
