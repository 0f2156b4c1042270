package dev.monotick.chaos.fault;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
class AdvisoryLeaseFaultTest extends FaultScenarios {

  AdvisoryLeaseFaultTest() {
    super(Flavour.ADVISORY);
  }
}
