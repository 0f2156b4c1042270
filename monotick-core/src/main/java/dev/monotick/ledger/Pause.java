package dev.monotick.ledger;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/** A task that somebody paused: who, why and when. */
public record Pause(String by, String note, Instant at) {

  /** Refuses null. */
  public Pause {
    requireNonNull(by, "by");
    requireNonNull(note, "note");
    requireNonNull(at, "at");
  }
}
