package dev.monotick.bench.cron;

import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code next()} costs, here and in four other libraries, on the same expressions in one run:
 * nanoseconds and bytes per call.
 *
 * <p>Every library runs in a process of its own, so that none profits or suffers from what the
 * compiler learned about another. A walk goes from fire to fire for 500 fires, then starts again;
 * that includes clock changes as often as a real schedule meets them. Time is processor time of the
 * measuring thread, libraries take turns, and the median counts, so that a busy machine hurts
 * little and all alike.
 */
public final class CronBenchmark {

  private static final ZoneId ZONE = ZoneId.of("Europe/Brussels");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final int WALK = 500;
  private static final int FORKS = 3;
  private static final int ROUNDS = 5;
  private static final int WARM_UPS = 4;
  private static final long ROUND_NANOS = 100_000_000L;

  /**
   * What is measured; times of day are none that a clock change touches, so that all libraries have
   * the same answers.
   */
  private record Case(String name, String standard, String quartz) {
    String expression(CronLibrary library) {
      return library.dialect == CronLibrary.Dialect.QUARTZ ? quartz : standard;
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case("every 5 s", "*/5 * * * * *", "0/5 * * * * ?"),
          new Case("every minute", "0 * * * * *", "0 * * * * ?"),
          new Case("daily 04:30", "0 30 4 * * *", "0 30 4 * * ?"),
          new Case("weekdays 04:30", "0 30 4 * * MON-FRI", "0 30 4 ? * MON-FRI"),
          new Case("monthly, 1st", "0 0 4 1 * *", "0 0 4 1 * ?"),
          new Case("last day (L)", "0 0 4 L * *", "0 0 4 L * ?"),
          new Case("last weekday (LW)", "0 0 4 LW * *", "0 0 4 LW * ?"),
          new Case("nearest weekday (15W)", "0 0 4 15W * *", "0 0 4 15W * ?"),
          new Case("last Friday (5L)", "0 0 4 * * 5L", "0 0 4 ? * 6L"),
          new Case("second Tuesday (2#2)", "0 0 4 * * 2#2", "0 0 4 ? * 3#2"));

  private CronBenchmark() {}

  /** Runs everything and prints a table in Markdown; with a library's name, runs that one here. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length == 1) {
      measure(CronLibrary.valueOf(arguments[0]));
      return;
    }
    Map<CronLibrary, double[][]> nanos = new EnumMap<>(CronLibrary.class);
    Map<CronLibrary, double[]> bytes = new EnumMap<>(CronLibrary.class);
    for (int fork = 0; fork < FORKS; fork++) {
      for (CronLibrary library : CronLibrary.values()) {
        System.err.println("fork " + (fork + 1) + " of " + FORKS + ": " + library.label);
        fork(library, fork, nanos, bytes);
      }
    }
    print(nanos, bytes);
  }

  private static void fork(
      CronLibrary library,
      int fork,
      Map<CronLibrary, double[][]> nanos,
      Map<CronLibrary, double[]> bytes)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CronBenchmark.class.getName(),
                library.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    double[][] ours = nanos.computeIfAbsent(library, any -> new double[CASES.size()][FORKS]);
    double[] weights = bytes.computeIfAbsent(library, any -> new double[CASES.size()]);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (int i = 0; i < CASES.size(); i++) {
        @Nullable String line = lines.readLine();
        List<String> values = line == null ? List.of() : List.of(line.split(" ", -1));
        ours[i][fork] = values.isEmpty() ? Double.NaN : Double.parseDouble(values.get(0));
        weights[i] = values.size() < 2 ? Double.NaN : Double.parseDouble(values.get(1));
      }
    }
    process.waitFor();
  }

  /** Measures one library in this process; a line per case with nanoseconds and bytes. */
  private static void measure(CronLibrary library) {
    for (Case sample : CASES) {
      CronWalk walk;
      try {
        walk = library.walk(sample.expression(library), ZONE);
        checkAnswers(sample, walk);
      } catch (RuntimeException refused) {
        System.err.println(library.label + ", " + sample.name() + ": " + refused);
        System.out.println("NaN NaN");
        continue;
      }
      for (int i = 0; i < WARM_UPS; i++) {
        round(walk);
      }
      double[] rounds = new double[ROUNDS];
      double weight = 0;
      for (int i = 0; i < ROUNDS; i++) {
        double[] result = round(walk);
        rounds[i] = result[0];
        weight = result[1];
      }
      System.out.println(median(rounds) + " " + weight);
    }
  }

  /** A fast wrong answer is worth nothing. */
  private static void checkAnswers(Case sample, CronWalk walk) {
    CronWalk reference = CronLibrary.MONOTICK.walk(sample.expression(CronLibrary.MONOTICK), ZONE);
    reference.reset(START);
    walk.reset(START);
    for (int i = 0; i < WALK; i++) {
      reference.step();
      walk.step();
      if (!reference.time().equals(walk.time())) {
        throw new IllegalStateException(
            "other answer: " + walk.time() + " instead of " + reference.time());
      }
    }
  }

  private static double[] round(CronWalk walk) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long calls = 0;
    long allocated = threads.getCurrentThreadAllocatedBytes();
    long start = threads.getCurrentThreadCpuTime();
    long elapsed;
    do {
      walk.reset(START);
      for (int i = 0; i < WALK; i++) {
        walk.step();
      }
      calls += WALK;
      elapsed = threads.getCurrentThreadCpuTime() - start;
    } while (elapsed < ROUND_NANOS);
    long weight = threads.getCurrentThreadAllocatedBytes() - allocated;
    return new double[] {(double) elapsed / calls, (double) weight / calls};
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static void print(Map<CronLibrary, double[][]> nanos, Map<CronLibrary, double[]> bytes) {
    System.out.printf(
        Locale.ROOT,
        "Java %s, %s %s, %d processors; zone %s; %d forks, %d rounds of %d ms after %d; median%n%n",
        Runtime.version(),
        System.getProperty("os.name"),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        ZONE,
        FORKS,
        ROUNDS,
        ROUND_NANOS / 1_000_000,
        WARM_UPS);
    StringBuilder head = new StringBuilder("| ns per call (bytes) |");
    StringBuilder line = new StringBuilder("|---|");
    for (CronLibrary library : CronLibrary.values()) {
      head.append(' ').append(library.label).append(" |");
      line.append("---|");
    }
    System.out.println(head + " fastest other / Monotick |");
    System.out.println(line + "---|");
    for (int i = 0; i < CASES.size(); i++) {
      StringBuilder row = new StringBuilder("| ").append(CASES.get(i).name()).append(" |");
      double fastest = Double.NaN;
      double ours = Double.NaN;
      for (CronLibrary library : CronLibrary.values()) {
        double[][] all = nanos.getOrDefault(library, new double[CASES.size()][FORKS]);
        double value = median(all[i]);
        double weight = bytes.getOrDefault(library, new double[CASES.size()])[i];
        row.append(
            Double.isNaN(value)
                ? " – |"
                : String.format(Locale.ROOT, " %.0f (%.0f) |", value, weight));
        if (library == CronLibrary.MONOTICK) {
          ours = value;
        } else if (!Double.isNaN(value) && !(fastest <= value)) {
          fastest = value;
        }
      }
      System.out.println(row + String.format(Locale.ROOT, " %.1f |", fastest / ours));
    }
  }
}
