package dev.monotick.chaos.fault;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
class PortableFaultTest extends FaultScenarios {

  PortableFaultTest() {
    super(Flavour.PORTABLE);
  }
}
