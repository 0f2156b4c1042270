package dev.monotick.chaos.fault;

@Tag("thorough")
class AdvisoryLeaseFaultTest extends FaultScenarios {

  AdvisoryLeaseFaultTest() {
    super(Flavour.ADVISORY);
  }
}
