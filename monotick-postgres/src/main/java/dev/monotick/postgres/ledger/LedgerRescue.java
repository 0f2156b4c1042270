package dev.monotick.postgres.ledger;

import dev.monotick.internal.ledger.RescueFindings;
import dev.monotick.internal.ledger.SeriesRow;
import dev.monotick.internal.ledger.TickImage;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.tick.TickRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What replicas should see to. Asked every second by each of them, so it is one statement that
 * locks nothing; only ticks whose replica is gone need a transaction.
 */
final class LedgerRescue {

  /**
   * That the claims of a replica may be taken by others: it is gone, and its process has not just
   * joined again, which then reports what ended.
   */
  private static final String GONE =
      "(r.gone_at is not null and (r.rejoined_at is null or r.rejoined_at < clock_timestamp()"
          + " - interval '"
          + MemberRegistry.REJOIN_GRACE.toSeconds()
          + " seconds'))";

  private final LedgerTables tables;
  private final DatabaseClock clock;
  private final TickSignals signals;
  private final String findRescuable;
  private final String lost;

  LedgerRescue(LedgerTables tables, DatabaseClock clock, TickSignals hints) {
    this.tables = tables;
    this.clock = clock;
    this.signals = hints;
    String gone = "(k.claim_replica is not null and (r.id is null or " + GONE + "))";
    findRescuable =
        tables
            .database()
            .sql(
                "select "
                    + TickTable.COLUMNS
                    + ", "
                    + SeriesTable.COLUMNS
                    + ", "
                    + gone
                    + " from @tick k join @task t on t.name = k.task"
                    + " left join @replica r on r.id = k.claim_replica where "
                    + TickTable.LIVE);
    lost =
        tables
            .database()
            .sql(
                "select a.id from unnest(?::uuid[]) as a(id)"
                    + " left join @replica r on r.id = a.id"
                    + " where r.id is null or "
                    + GONE);
  }

  /** What is there of a task that has live rows. */
  private static final class Found {
    final SeriesTable.Stored task;
    final List<TickImage> images = new ArrayList<>();
    boolean orphaned;

    Found(SeriesTable.Stored task) {
      this.task = task;
    }
  }

  TickRescue run(MemberId caller, Collection<String> names) {
    Set<String> known = names instanceof Set<String> set ? set : Set.copyOf(names);
    if (known.isEmpty()) {
      return new RescueFindings().toRescue();
    }
    Map<String, Found> found =
        tables
            .database()
            .once("looking for waiting ticks", connection -> findRescuable(connection, known));
    List<String> orphaned = new ArrayList<>();
    found.forEach(
        (name, task) -> {
          if (task.orphaned) {
            orphaned.add(name);
          }
        });
    List<TickRecord> settled = List.of();
    if (!orphaned.isEmpty()) {
      settled =
          tables
              .database()
              .inTransaction(
                  "seeing to ticks of replicas that are gone",
                  connection -> endOrphaned(connection, caller, orphaned));
      found =
          tables
              .database()
              .once("looking for waiting ticks", connection -> findRescuable(connection, known));
    }
    RescueFindings findings = new RescueFindings();
    Instant now = clock.now();
    for (Found task : found.values()) {
      SeriesRow.restored(task.task.state(), task.task.schedule(), task.images)
          .rescue(caller, replica -> false, now, findings);
    }
    TickRescue seen = findings.toRescue();
    return new TickRescue(settled, seen.waiting(), seen.cancelled(), seen.held());
  }

  private Map<String, Found> findRescuable(Connection connection, Set<String> known)
      throws SQLException {
    Map<String, Found> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(findRescuable);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        String name = row.getString(1);
        if (!known.contains(name)) {
          continue;
        }
        Found task = found.get(name);
        if (task == null) {
          task = new Found(SeriesTable.read(row, TickTable.COLUMN_COUNT));
          found.put(name, task);
        }
        TickImage image = TickTable.read(row);
        task.images.add(image);
        task.orphaned |=
            image.occupies()
                && row.getBoolean(TickTable.COLUMN_COUNT + SeriesTable.COLUMN_COUNT + 1);
      }
    }
    return found;
  }

  private List<TickRecord> endOrphaned(Connection connection, MemberId caller, List<String> names)
      throws SQLException {
    SeriesBatch batch = tables.load(connection, names);
    // Asked after the tasks are locked: one that came back meanwhile keeps its ticks.
    Set<UUID> gone = gone(connection, batch);
    RescueFindings findings = new RescueFindings();
    Instant now = clock.now();
    boolean freed = false;
    for (SeriesRow row : batch.all()) {
      freed |= row.rescue(caller, replica -> gone.contains(replica.value()), now, findings);
    }
    batch.save();
    if (freed) {
      signals.signal(connection);
    }
    return findings.toRescue().unknown();
  }

  private Set<UUID> gone(Connection connection, SeriesBatch batch) throws SQLException {
    Set<UUID> owners = new HashSet<>();
    for (SeriesRow row : batch.all()) {
      for (TickImage image : row.images()) {
        var claim = image.row().claim();
        if (claim != null) {
          owners.add(claim.replica());
        }
      }
    }
    Set<UUID> gone = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(lost)) {
      LedgerColumns.set(statement, 1, "uuid", List.copyOf(owners), id -> id);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          gone.add(row.getObject(1, UUID.class));
        }
      }
    }
    return gone;
  }
}
