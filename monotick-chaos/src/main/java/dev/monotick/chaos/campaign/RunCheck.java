package dev.monotick.chaos.campaign;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.check.LedgerRow;
import dev.monotick.chaos.check.TaskEdits;
import dev.monotick.chaos.check.TriggerCheck;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.FaultContext;
import dev.monotick.chaos.replica.ExactRows;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.storm.JobHistory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Holds all that was written down in a run against what is promised. */
final class RunCheck {

  /** Checks go through everything, which may take a while. */
  private static final int LONGEST_CHECK_MILLIS = 600_000;

  private final ChaosSettings settings;
  private final FaultContext scene;
  private final Path folder;

  RunCheck(ChaosSettings settings, FaultContext scene, Path folder) {
    this.settings = settings;
    this.scene = scene;
    this.folder = folder;
  }

  ChaosResult judge(RunCompletion.CompletionResult settled) throws SQLException {
    List<Journal.Entry> journal = scene.cluster().journal().all();
    writeDown("journal.log", journal.stream().map(Journal.Entry::toString).toList());
    CheckScope scope = new CheckScope(TaskWorkload.FULL, ChaosRun.PERIOD);
    try (Connection connection = scene.server().connect()) {
      connection.setNetworkTimeout(Runnable::run, LONGEST_CHECK_MILLIS);
      List<LedgerRow> ledger = LedgerRow.read(connection, ChaosRun.SCHEMA);
      writeDown("ledger.log", ledger.stream().map(LedgerRow::toString).toList());
      Findings findings =
          Checker.check(
              scope,
              journal,
              effects(connection),
              ledger,
              settings.control() ? null : settled.until());
      List<String> violations = new ArrayList<>(findings.violations());
      JobHistory.Result jobs = JobHistory.check(connection, ChaosRun.SCHEMA, journal);
      violations.addAll(jobs.violations());
      violations.addAll(settled.complaints());
      TaskEdits.Result edits = TaskEdits.check(scope, journal, ledger);
      TriggerCheck.Result triggers = TriggerCheck.check(journal, connection, ChaosRun.SCHEMA);
      if (!settings.control()) {
        violations.addAll(edits.violations());
        violations.addAll(triggers.violations());
      }
      ChaosResult result =
          new ChaosResult(
              settings,
              RunFacts.of(journal, ChaosRun.TIMING),
              findings,
              jobs,
              new ChaosResult.Requests(edits.pauses(), edits.editions(), triggers.asked()),
              List.copyOf(violations));
      writeDown("violations.log", violations);
      return result;
    }
  }

  /** Returns what took place at the sink, and in the database. */
  private List<HistoryEvent> effects(Connection connection) throws SQLException {
    List<HistoryEvent> effects = new ArrayList<>(scene.sink().effects());
    for (ExactRows.Row row : new ExactRows(ChaosRun.SCHEMA).read(connection)) {
      effects.add(row.effect(ChaosRun.SCHEMA));
    }
    return effects;
  }

  private void writeDown(String name, List<String> lines) {
    try {
      Files.write(folder.resolve(name), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
