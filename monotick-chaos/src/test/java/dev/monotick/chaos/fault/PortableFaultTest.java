package dev.monotick.chaos.fault;

@Tag("thorough")
class PortableFaultTest extends FaultScenarios {

  PortableFaultTest() {
    super(Flavour.PORTABLE);
  }
}
