package dev.monotick.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one simulated run showed: the first broken invariant, what happened, and a hash of it all.
 */
@SuppressWarnings("EnumOrdinal") // counts things by the million, and keeps none of the numbers
final class Findings {

  private final FakeTime time;
  private final long origin;
  private final long[] counts = new long[Seen.values().length];
  private final @Nullable List<String> trace;
  private @Nullable String broken;
  private String lastFault = "none";
  private long hash = 17;

  Findings(FakeTime time, boolean traced) {
    this.time = time;
    this.origin = time.nanos();
    this.trace = traced ? new ArrayList<>() : null;
  }

  void see(Seen what) {
    counts[what.ordinal()]++;
    note(what.ordinal(), 0);
  }

  long count(Seen what) {
    return counts[what.ordinal()];
  }

  /** A fault strikes: what breaks after it most likely broke because of it. */
  void fault(Seen what, String on) {
    see(what);
    lastFault = what.text() + " " + on;
    trace(() -> "FAULT " + what.text() + " " + on);
  }

  /** Makes something part of the run's hash. */
  void note(long one, long other) {
    hash = (hash ^ (time.nanos() - origin)) * 0x9E3779B97F4A7C15L;
    hash = Long.rotateLeft(hash, 29) + one;
    hash = (hash ^ other) * 0xBF58476D1CE4E5B9L;
  }

  /** An invariant does not hold; the first one is the run's finding. */
  void broken(String invariant, Supplier<String> how) {
    if (broken == null) {
      broken = invariant + ": " + how.get() + " [at " + at() + ", last fault: " + lastFault + "]";
      trace(() -> "BROKEN " + broken);
    }
  }

  void require(boolean holds, String invariant, Supplier<String> otherwise) {
    if (!holds) {
      broken(invariant, otherwise);
    }
  }

  void trace(Supplier<String> line) {
    if (trace != null) {
      trace.add(at() + " " + line.get());
    }
  }

  boolean isTraced() {
    return trace != null;
  }

  @Nullable String broken() {
    return broken;
  }

  long hash() {
    return hash;
  }

  List<String> trace() {
    return trace == null ? List.of() : trace;
  }

  private String at() {
    long micros = (time.nanos() - origin) / 1_000;
    return String.format("%d.%06ds", micros / 1_000_000, micros % 1_000_000);
  }
}
