package dev.monotick.postgres.job;

import java.util.UUID;

/**
 * Where this process hears of jobs that were given to it. Only who may read our tables learns the
 * name: what comes from there is believed.
 */
final class OwnChannel {

  private final String name = "monotick_" + UUID.randomUUID().toString().replace("-", "");
  private volatile boolean heard;

  String name() {
    return name;
  }

  /** Says whether what is told there is heard, as far as is known. */
  boolean isHeard() {
    return heard;
  }

  void heard(boolean is) {
    heard = is;
  }
}
