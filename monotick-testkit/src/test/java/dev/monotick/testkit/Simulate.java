package dev.monotick.testkit;

import dev.monotick.testkit.SimulationBatch.Broken;
import java.io.PrintStream;
import java.util.List;

/** What {@code scripts/simulate} runs. */
final class Simulate {

  private static final long CHUNK = 5_000;

  private Simulate() {}

  /** Runs one seed with a line for everything that happens, or many seeds with a summary. */
  public static void main(String[] arguments) {
    List<String> words = List.of(arguments);
    long seed = value(words, "--seed", -1);
    boolean good =
        seed >= 0
            ? one(seed, System.out)
            : many(value(words, "--first", 1), value(words, "--seeds", 100_000), System.out);
    System.exit(good ? 0 : 1);
  }

  private static long value(List<String> words, String name, long otherwise) {
    int index = words.indexOf(name);
    return index < 0 ? otherwise : Long.parseLong(words.get(index + 1));
  }

  private static boolean one(long seed, PrintStream out) {
    Findings findings = Simulation.runTraced(seed);
    findings.trace().forEach(out::println);
    String broken = findings.broken();
    out.println(broken == null ? "seed " + seed + " broke nothing" : broken);
    out.printf("hash=%016x%n", findings.hash());
    return broken == null;
  }

  private static boolean many(long first, long count, PrintStream out) {
    SimulationBatch all = SimulationBatch.run(first, 0);
    for (long at = first; at < first + count; at += CHUNK) {
      all.add(SimulationBatch.run(at, Math.min(CHUNK, first + count - at)));
      Broken broken = all.broken();
      if (broken != null) {
        out.println("seed " + broken.seed() + " broke " + broken.finding());
        out.println("again: scripts/simulate --seed " + broken.seed());
        return false;
      }
      out.println(at - first + CHUNK >= count ? all : "... " + (at - first + CHUNK) + " seeds");
    }
    out.printf("PASSED hash=%016x%n", all.hash());
    return true;
  }
}
