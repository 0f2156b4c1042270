package dev.monotick.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Many simulated runs, on all processors; each on one thread, so that seeds repeat. */
@SuppressWarnings("EnumOrdinal") // adds up counts, and keeps none of the numbers
final class SimulationBatch {

  private static final long FEW = 100;

  private final long[] counts = new long[Seen.values().length];
  private long seeds;
  private long hash;
  private @Nullable Broken broken;

  /**
   * A run in which something did not hold.
   *
   * @param seed its seed
   * @param finding what did not hold
   */
  record Broken(long seed, String finding) {}

  private SimulationBatch() {}

  /** Runs seeds; those after one that broke something are left out. */
  static SimulationBatch run(long first, long count) {
    AtomicLong lowest = new AtomicLong(Long.MAX_VALUE);
    return LongStream.range(first, first + count)
        .parallel()
        .collect(
            SimulationBatch::new,
            (batch, seed) -> {
              if (seed < lowest.get()) {
                batch.add(seed, lowest);
              }
            },
            SimulationBatch::add);
  }

  /** Runs seeds until one breaks something, and returns which and what; null if none does. */
  static @Nullable String search(long first, long count) {
    for (long at = first; at < first + count; at += FEW) {
      Broken found = run(at, FEW).broken();
      if (found != null) {
        return "seed " + found.seed() + " " + found.finding();
      }
    }
    return null;
  }

  private void add(long seed, AtomicLong lowest) {
    seeds++;
    Findings findings;
    try {
      findings = Simulation.run(seed);
    } catch (RuntimeException | Error e) { // what no engine may do, and no simulation either
      broken(new Broken(seed, "the run ended with " + e), lowest);
      return;
    }
    for (Seen what : Seen.values()) {
      counts[what.ordinal()] += findings.count(what);
    }
    hash += findings.hash() * (2 * seed + 1); // in any order
    String finding = findings.broken();
    if (finding != null) {
      broken(new Broken(seed, finding), lowest);
    }
  }

  private void broken(Broken found, AtomicLong lowest) {
    lowest.accumulateAndGet(found.seed(), Math::min);
    keep(found);
  }

  private void keep(@Nullable Broken other) {
    Broken known = broken;
    if (other != null && (known == null || other.seed() < known.seed())) {
      broken = other;
    }
  }

  void add(SimulationBatch other) {
    seeds += other.seeds;
    hash += other.hash;
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    keep(other.broken);
  }

  /** Returns the first seed that broke something, null if none did. */
  @Nullable Broken broken() {
    return broken;
  }

  long hash() {
    return hash;
  }

  /** Returns what never happened: of that, the batch proves nothing. */
  List<Seen> unseen() {
    List<Seen> unseen = new ArrayList<>();
    for (Seen what : Seen.values()) {
      if (counts[what.ordinal()] == 0) {
        unseen.add(what);
      }
    }
    return unseen;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("seeds=").append(seeds);
    for (Seen what : Seen.values()) {
      text.append(' ').append(what.text()).append('=').append(counts[what.ordinal()]);
    }
    return text.toString();
  }
}
