package dev.monotick.postgres.ledger;

import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.internal.RescueFindings;
import dev.monotick.ledger.internal.TaskRow;
import dev.monotick.ledger.internal.TickImage;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaRegistry;
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
          + ReplicaRegistry.REJOIN_GRACE.toSeconds()
          + " seconds'))";

  private final Tables tables;
  private final DatabaseClock clock;
  private final WaitingHints hints;
  private final String look;
  private final String lost;

  LedgerRescue(Tables tables, DatabaseClock clock, WaitingHints hints) {
    this.tables = tables;
    this.clock = clock;
    this.hints = hints;
    String gone = "(k.claim_replica is not null and (r.id is null or " + GONE + "))";
    look =
        tables
            .database()
            .sql(
                "select "
                    + TickTable.COLUMNS
                    + ", "
                    + TaskTable.COLUMNS
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
    final TaskTable.Stored task;
    final List<TickImage> images = new ArrayList<>();
    boolean orphaned;

    Found(TaskTable.Stored task) {
      this.task = task;
    }
  }

  Rescue run(ReplicaId caller, Collection<String> names) {
    Set<String> known = names instanceof Set<String> set ? set : Set.copyOf(names);
    if (known.isEmpty()) {
      return new RescueFindings().toRescue();
    }
    Map<String, Found> found =
        tables.database().once("looking for waiting ticks", connection -> look(connection, known));
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
                  connection -> settle(connection, caller, orphaned));
      found =
          tables
              .database()
              .once("looking for waiting ticks", connection -> look(connection, known));
    }
    RescueFindings findings = new RescueFindings();
    Instant now = clock.now();
    for (Found task : found.values()) {
      TaskRow.restored(task.task.state(), task.task.schedule(), task.images)
          .rescue(caller, replica -> false, now, findings);
    }
    Rescue seen = findings.toRescue();
    return new Rescue(settled, seen.waiting(), seen.cancelled(), seen.held());
  }

  private Map<String, Found> look(Connection connection, Set<String> known) throws SQLException {
    Map<String, Found> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(look);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        String name = row.getString(1);
        if (!known.contains(name)) {
          continue;
        }
        Found task = found.get(name);
        if (task == null) {
          task = new Found(TaskTable.read(row, TickTable.COLUMN_COUNT));
          found.put(name, task);
        }
        TickImage image = TickTable.read(row);
        task.images.add(image);
        task.orphaned |=
            image.occupies() && row.getBoolean(TickTable.COLUMN_COUNT + TaskTable.COLUMN_COUNT + 1);
      }
    }
    return found;
  }

  private List<TickRecord> settle(Connection connection, ReplicaId caller, List<String> names)
      throws SQLException {
    TaskBatch batch = tables.load(connection, names);
    // Asked after the tasks are locked: one that came back meanwhile keeps its ticks.
    Set<UUID> gone = gone(connection, batch);
    RescueFindings findings = new RescueFindings();
    Instant now = clock.now();
    boolean freed = false;
    for (TaskRow row : batch.all()) {
      freed |= row.rescue(caller, replica -> gone.contains(replica.value()), now, findings);
    }
    batch.save();
    if (freed) {
      hints.tell(connection);
    }
    return findings.toRescue().settled();
  }

  private Set<UUID> gone(Connection connection, TaskBatch batch) throws SQLException {
    Set<UUID> owners = new HashSet<>();
    for (TaskRow row : batch.all()) {
      for (TickImage image : row.images()) {
        var claim = image.row().claim();
        if (claim != null) {
          owners.add(claim.replica().value());
        }
      }
    }
    Set<UUID> gone = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(lost)) {
      Columns.set(statement, 1, "uuid", List.copyOf(owners), id -> id);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          gone.add(row.getObject(1, UUID.class));
        }
      }
    }
    return gone;
  }
}
