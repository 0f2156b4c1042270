/** Metrics published through Micrometer. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Micrometer is not a named module
module dev.monotick.micrometer {
  requires transitive dev.monotick.core;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;

  exports dev.monotick.micrometer;
}
