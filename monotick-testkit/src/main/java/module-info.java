/** For tests: time that a test moves, engines on the test's thread, and contracts for backends. */
module dev.monotick.testkit {
  requires transitive dev.monotick.core;
  requires transitive dev.monotick.memory;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;
  requires static transitive org.jspecify;

  exports dev.monotick.testkit;
  exports dev.monotick.testkit.contract;
  exports dev.monotick.testkit.fault;
}
