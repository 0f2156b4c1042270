package dev.monotick.chaos.fault;

class PortableFaultTest extends FaultScenarios {

  PortableFaultTest() {
    super(Flavour.PORTABLE);
  }
}
