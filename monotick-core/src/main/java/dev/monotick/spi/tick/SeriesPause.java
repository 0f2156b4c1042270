package dev.monotick.spi.tick;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/** A task that somebody paused: who, why and when. */
public record SeriesPause(String by, String note, Instant at) {

  /** Refuses null. */
  public SeriesPause {
    requireNonNull(by, "by");
    requireNonNull(note, "note");
    requireNonNull(at, "at");
  }
}
