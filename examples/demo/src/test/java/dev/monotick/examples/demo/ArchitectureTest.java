package dev.monotick.examples.demo;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  private static final String DEMO = Demo.class.getName();

  @Override
  protected Set<String> placesForThreads() {
    return Set.of(DEMO, Keyboard.class.getName());
  }

  @Override
  protected Set<String> placesForPrinting() {
    return Set.of(DEMO);
  }
}
