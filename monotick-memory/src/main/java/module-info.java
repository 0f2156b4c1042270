/** A store in the memory of one process. */
module dev.monotick.memory {
  requires transitive dev.monotick.core;
  requires static transitive org.jspecify;

  exports dev.monotick.memory;
}
