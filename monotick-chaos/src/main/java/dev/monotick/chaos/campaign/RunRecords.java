package dev.monotick.chaos.campaign;

import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.FaultKind;
import dev.monotick.chaos.report.ChaosReport;
import dev.monotick.chaos.report.Invariant;
import dev.monotick.chaos.report.RunRecord;
import dev.monotick.chaos.report.TimelinePicture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Puts a run on record, and makes the report anew from all that are. */
final class RunRecords {

  private RunRecords() {}

  /**
   * Writes record, report and picture.
   *
   * @param report the file of the report; records go to a folder beside it
   */
  static void write(Path report, ChaosResult result, List<Journal.Entry> journal)
      throws IOException {
    Path folder = report.toAbsolutePath().resolveSibling("runs");
    ChaosSettings settings = result.settings();
    new RunRecord(values(result)).write(folder, name(settings));
    Files.writeString(report, ChaosReport.of(RunRecord.read(folder)));
    if (!settings.control()) {
      Files.writeString(
          report.resolveSibling("run.svg"),
          TimelinePicture.of(
              journal,
              settings.backend().title()
                  + settings.replication().title()
                  + ", seed "
                  + settings.seed()
                  + ", leases of 2 s"));
    }
  }

  static Map<String, String> values(ChaosResult result) {
    ChaosSettings settings = result.settings();
    Map<String, String> values = new LinkedHashMap<>();
    values.put("title", settings.backend().title() + settings.replication().title());
    values.put("control", Boolean.toString(settings.control()));
    values.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    values.put("minutes", minutes(settings.lasting()));
    values.put("replicas", Integer.toString(settings.replicas()));
    values.put("seed", Long.toString(settings.seed()));
    values.put(
        "machine",
        Runtime.getRuntime().availableProcessors()
            + " processors, "
            + System.getProperty("os.name")
            + ", Java "
            + Runtime.version().feature()
            + ", PostgreSQL 18");
    result.figures().forEach((name, value) -> values.put("figure." + name, value.toString()));
    for (Invariant invariant : Invariant.values()) {
      values.put("violations." + invariant, "" + invariant.count(result.violations()));
    }
    for (FaultKind kind : FaultKind.values()) {
      values.put("number." + kind.text(), kind.number());
      values.put("fault." + kind.text(), "" + result.facts().faults().getOrDefault(kind.text(), 0));
    }
    result
        .facts()
        .failovers()
        .forEach((kind, times) -> values.put("failover." + kind, percentiles(times)));
    return values;
  }

  private static String name(ChaosSettings settings) {
    return settings.backend().text()
        + (settings.replication() == Replication.NONE ? "" : "-" + settings.replication().text())
        + (settings.control() ? "-control" : "");
  }

  private static String minutes(Duration lasting) {
    return String.format(Locale.ROOT, "%.1f", lasting.toSeconds() / 60.0);
  }

  /** Number, median, p99 and longest; never a value that was not seen. */
  private static String percentiles(List<Duration> times) {
    List<Duration> sorted = times.stream().sorted().toList();
    return String.format(
        Locale.ROOT,
        "%d %.2f %.2f %.2f",
        sorted.size(),
        rank(sorted, 50),
        rank(sorted, 99),
        rank(sorted, 100));
  }

  private static double rank(List<Duration> sorted, int percent) {
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(rank, 1) - 1).toNanos() / 1e9;
  }
}
