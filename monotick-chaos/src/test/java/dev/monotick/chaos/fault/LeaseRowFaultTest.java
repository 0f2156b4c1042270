package dev.monotick.chaos.fault;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
class LeaseRowFaultTest extends FaultScenarios {

  LeaseRowFaultTest() {
    super(Flavour.ROW);
  }
}
