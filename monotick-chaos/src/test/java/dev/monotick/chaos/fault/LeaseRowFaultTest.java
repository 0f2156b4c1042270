package dev.monotick.chaos.fault;

@Tag("thorough")
class LeaseRowFaultTest extends FaultScenarios {

  LeaseRowFaultTest() {
    super(Flavour.ROW);
  }
}
