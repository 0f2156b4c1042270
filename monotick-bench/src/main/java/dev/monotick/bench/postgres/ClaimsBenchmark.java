package dev.monotick.bench.postgres;

import dev.monotick.postgres.PostgresStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;

/**
 * How many ticks a second PostgreSQL's ledger grants: in batches of 500 by one thread, and one by
 * one by eight threads; with an empty ledger and with one that holds a month. Rounds take turns, so
 * that whatever else happens on the machine happens to both; the median round counts.
 *
 * <p>Arguments, all optional: rounds, rows of history, and 1 to also print, after the rounds, what
 * the server spends its time on (it then logs all statements, which slows all down).
 */
public final class ClaimsBenchmark {

  private static final int THREADS = 8;
  private static final int SINGLES = 800;
  private static final int ALONE = 300;
  private static final long LEAST_NANOS = 1_500_000_000L;

  /** A ledger, what loads it, and what was measured of it. */
  private record Side(
      String name,
      LedgerHistory history,
      ClaimLoad load,
      Rounds batch,
      Rounds eight,
      Rounds alone) {}

  private record Rounds(List<ClaimLoad.Taken> all) {

    Rounds() {
      this(new ArrayList<>());
    }

    double median(ToDoubleFunction<ClaimLoad.Taken> value) {
      return FiringDelays.median(all.stream().mapToDouble(value).toArray());
    }

    double callMillis(double share) {
      return median(round -> FiringDelays.percentileMillis(round.callNanos(), share));
    }
  }

  private interface Pass {
    ClaimLoad.Taken make() throws Exception;
  }

  private ClaimsBenchmark() {}

  /** Runs the benchmark; prints a table and one line for each ledger and way of claiming. */
  public static void main(String[] args) throws Exception {
    NumberArguments arguments = new NumberArguments(args);
    int rounds = arguments.next("ROUNDS", 5, 1, 100);
    int rows = arguments.next("ROWS", 1_000_000, 1, 100_000_000);
    boolean profile = arguments.next("PROFILE", 0, 0, 1) == 1;
    arguments.end();
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try (BenchServer server = BenchServer.start(profile ? StatementLog.SETTINGS : Map.of());
        PostgresStore emptyStore = server.store("claims_empty");
        PostgresStore fullStore = server.store("claims_full")) {
      server.describe();
      Side empty = side("empty", server, emptyStore);
      Side full = side("full", server, fullStore);
      full.history().fill(rows);
      System.out.printf(
          Locale.ROOT,
          "rows of history: empty %,d, full %,d%n",
          empty.history().rows(),
          full.history().rows());
      BenchmarkProgress.report("warming up");
      round(side("empty", empty), executor);
      round(side("full", full), executor);
      for (int i = 1; i <= rounds; i++) {
        BenchmarkProgress.report(
            "round " + i + " of " + rounds + ", load average " + BenchServer.load());
        // Whoever is first in one round is second in the next.
        round(i % 2 == 0 ? full : empty, executor);
        round(i % 2 == 0 ? empty : full, executor);
      }
      if (profile) {
        profile(empty, server, executor);
        profile(full, server, executor);
      }
      print(empty, full);
    } finally {
      executor.shutdownNow();
    }
  }

  private static Side side(String name, BenchServer server, PostgresStore store) {
    return new Side(
        name,
        new LedgerHistory(server, "claims_" + name),
        new ClaimLoad(store),
        new Rounds(),
        new Rounds(),
        new Rounds());
  }

  /** The same ledger, with results that nobody looks at. */
  private static Side side(String name, Side of) {
    return new Side(name, of.history(), of.load(), new Rounds(), new Rounds(), new Rounds());
  }

  private static void round(Side side, ExecutorService executor) throws Exception {
    side.history().forget(side.load().replica().value());
    ClaimLoad load = side.load();
    side.batch().all().add(repeat(load::batches));
    side.eight().all().add(repeat(() -> load.singles(SINGLES, THREADS, executor)));
    side.alone().all().add(load.singles(ALONE, 1, executor));
    BenchmarkProgress.report(
        String.format(
            Locale.ROOT,
            "  %s: batches of 500 %.0f claims/s, 8 threads %.0f claims/s",
            side.name(),
            last(side.batch()).claimsPerSecond(),
            last(side.eight()).claimsPerSecond()));
  }

  private static void profile(Side side, BenchServer server, ExecutorService executor)
      throws Exception {
    StatementLog log = new StatementLog(server.log());
    side.load().singles(ALONE, 1, executor);
    System.out.println(side.name() + ", single by one thread: statements for each tick");
    StatementLog.print(log.read(), ALONE);
    log.mark();
    side.load().batches();
    System.out.println(side.name() + ", batches of 500: statements for each batch");
    StatementLog.print(log.read(), ClaimLoad.TASKS / (double) ClaimLoad.BATCH);
  }

  private static ClaimLoad.Taken last(Rounds rounds) {
    return rounds.all().get(rounds.all().size() - 1);
  }

  private static ClaimLoad.Taken repeat(Pass pass) throws Exception {
    ClaimLoad.Taken taken = pass.make();
    while (taken.claimNanos() + taken.finishNanos() < LEAST_NANOS) {
      taken = taken.plus(pass.make());
    }
    return taken;
  }

  private static void print(Side empty, Side full) {
    row("claims/s, batches of 500", of(empty.batch(), full.batch(), "claims"));
    row("claims and reports/s, batches of 500", of(empty.batch(), full.batch(), "both"));
    row("claims/s, single, 8 threads", of(empty.eight(), full.eight(), "claims"));
    row("claims and reports/s, single, 8 threads", of(empty.eight(), full.eight(), "both"));
    double[] alone = {empty.alone().callMillis(0.5), full.alone().callMillis(0.5)};
    row("ms for a single claim, p50, 1 thread", alone);
    row(
        "ms for a single claim, p50, 8 threads",
        new double[] {empty.eight().callMillis(0.5), full.eight().callMillis(0.5)});
    System.out.println("load average at the end " + BenchServer.load());
    for (Side side : List.of(empty, full)) {
      System.out.printf(
          Locale.ROOT,
          "claims %s batch=%.0f/s batch_both=%.0f/s single8=%.0f/s single8_both=%.0f/s"
              + " single_p50=%.2fms single_p99=%.2fms rounds=%d load=%s%n",
          side.name(),
          side.batch().median(ClaimLoad.Taken::claimsPerSecond),
          side.batch().median(ClaimLoad.Taken::bothPerSecond),
          side.eight().median(ClaimLoad.Taken::claimsPerSecond),
          side.eight().median(ClaimLoad.Taken::bothPerSecond),
          side.alone().callMillis(0.5),
          side.alone().callMillis(0.99),
          side.batch().all().size(),
          BenchServer.load());
    }
    System.out.printf(
        Locale.ROOT,
        "claims ratio batch=%.2f batch_both=%.2f single8=%.2f single8_both=%.2f single_p50=%.2f%n",
        ratio(of(empty.batch(), full.batch(), "claims")),
        ratio(of(empty.batch(), full.batch(), "both")),
        ratio(of(empty.eight(), full.eight(), "claims")),
        ratio(of(empty.eight(), full.eight(), "both")),
        alone[1] / alone[0]);
  }

  private static double[] of(Rounds empty, Rounds full, String what) {
    ToDoubleFunction<ClaimLoad.Taken> value =
        what.equals("claims") ? ClaimLoad.Taken::claimsPerSecond : ClaimLoad.Taken::bothPerSecond;
    return new double[] {empty.median(value), full.median(value)};
  }

  /** Returns how many times slower the full ledger is. */
  private static double ratio(double[] rates) {
    return rates[0] / rates[1];
  }

  private static void row(String what, double[] values) {
    System.out.printf(Locale.ROOT, "%-42s empty %10.2f  full %10.2f%n", what, values[0], values[1]);
  }
}
