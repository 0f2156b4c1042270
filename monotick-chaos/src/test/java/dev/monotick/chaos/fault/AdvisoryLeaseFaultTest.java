package dev.monotick.chaos.fault;

class AdvisoryLeaseFaultTest extends FaultScenarios {

  AdvisoryLeaseFaultTest() {
    super(Flavour.ADVISORY);
  }
}
