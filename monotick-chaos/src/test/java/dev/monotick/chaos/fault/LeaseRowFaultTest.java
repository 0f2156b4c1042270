package dev.monotick.chaos.fault;

class LeaseRowFaultTest extends FaultScenarios {

  LeaseRowFaultTest() {
    super(Flavour.ROW);
  }
}
