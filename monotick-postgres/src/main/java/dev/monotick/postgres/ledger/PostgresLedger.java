package dev.monotick.postgres.ledger;

import dev.monotick.internal.ledger.FenceCheck;
import dev.monotick.internal.ledger.SeriesRow;
import dev.monotick.internal.ledger.TickImage;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.FencedWork;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The ledger in the database. Each call is one short transaction: lock the tasks' rows (for leaders
 * also, in share mode, their group's fence), do the steps of {@link SeriesRow}, write, commit. No
 * lock is held while foreign code runs.
 *
 * <p>A tick is unique for two reasons that do not need each other: a claim moves the cursor of its
 * locked task by a comparison, and the tick's row has a primary key. A commit whose answer was lost
 * is resolved by sending the same claim again: if it was granted, its row is there and says so.
 */
public final class PostgresLedger implements TickLedger {

  private static final Set<Effect> EFFECTS = Set.copyOf(EnumSet.allOf(Effect.class));
  private static final Set<Outcome> REPORTABLE =
      Set.copyOf(
          EnumSet.of(
              Outcome.SUCCEEDED,
              Outcome.FAILED,
              Outcome.TIMED_OUT,
              Outcome.CANCELLED,
              Outcome.MISSED));

  private final Database database;
  private final LedgerTables tables;
  private final TermMint mint;
  private final DatabaseClock clock;
  private final TickSignals signals;
  private final LedgerRescue rescue;
  private final FencedTransaction transactions;
  private final String insertTrigger;

  /**
   * Creates the ledger of a database whose tables are there.
   *
   * @param timeline SQL that tells the history a server is in
   */
  public PostgresLedger(
      Database database, String timeline, DatabaseClock clock, TickSignals hints) {
    this.database = database;
    this.tables = LedgerTables.of(database);
    this.mint = new TermMint(database, timeline);
    this.clock = clock;
    this.signals = hints;
    this.rescue = new LedgerRescue(tables, clock, hints);
    this.transactions = new FencedTransaction(tables, clock);
    this.insertTrigger =
        database.sql(
            "insert into @trigger_key (task, key, nominal) values (?, ?, ?::timestamptz)"
                + " on conflict (task, key) do nothing");
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public Duration clockOffset() {
    return clock.offset();
  }

  @Override
  public Set<Effect> effects() {
    return EFFECTS;
  }

  @Override
  public Fence mintFence(String group, MemberId holder) {
    return database.inTransaction(
        "beginning a term of " + group, connection -> mint.mint(connection, group, holder));
  }

  @Override
  public List<SeriesState> register(List<SeriesRegistration> registrations) {
    Map<String, SeriesRegistration> byName = new HashMap<>();
    for (SeriesRegistration given : registrations) {
      Instant start = LedgerColumns.micros(given.start());
      byName.put(given.task(), new SeriesRegistration(given.task(), given.schedule(), start));
    }
    Map<String, SeriesState> states = new HashMap<>();
    return database.inTransaction(
        "registering tasks",
        connection -> {
          tables.tasks().insert(connection, byName.values());
          List<String> changed = new ArrayList<>();
          for (SeriesTable.Stored task : tables.tasks().select(connection, byName.keySet())) {
            String name = task.state().task();
            states.put(name, task.state());
            if (!task.schedule().equals(registration(byName, name).schedule())) {
              changed.add(name);
            }
          }
          if (!changed.isEmpty()) {
            SeriesBatch batch = tables.load(connection, changed);
            for (String name : changed) {
              states.put(name, batch.task(name).register(registration(byName, name)));
            }
            batch.save();
          }
          return registrations.stream().map(given -> state(states, given.task())).toList();
        });
  }

  @Override
  public List<SeriesState> states(Collection<String> names) {
    if (names.isEmpty()) {
      return List.of();
    }
    return database.once(
        "reading tasks",
        connection ->
            tables.tasks().select(connection, names).stream()
                .map(SeriesTable.Stored::state)
                .toList());
  }

  @Override
  public List<TickClaimReply> claim(List<TickClaim> requests) {
    Function<TickClaim, String> task = request -> request.tick().task();
    return database.inTransaction(
        "claiming ticks",
        connection -> {
          FenceCheck fences =
              tables.fences().share(connection, proofs(requests, TickClaim::leader));
          SeriesBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<TickClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).claim(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<TickClaimReply> take(List<TickTake> requests) {
    Function<TickTake, String> task = request -> request.tick().task();
    return database.inTransaction(
        "taking ticks",
        connection -> {
          FenceCheck fences = tables.fences().share(connection, proofs(requests, TickTake::leader));
          SeriesBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<TickClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).take(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<TickClaimReply> account(List<TickAccount> requests) {
    Function<TickAccount, String> task = request -> request.seen().task();
    return database.inTransaction(
        "accounting for ticks",
        connection -> {
          FenceCheck fences =
              tables.fences().share(connection, proofs(requests, TickAccount::leader));
          SeriesBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<TickClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).account(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<TickReportReply> report(List<TickReport> requests) {
    requests.forEach(PostgresLedger::requireReportable);
    List<TickReport> reports = map(requests, PostgresLedger::storable);
    return database.inTransaction(
        "reporting on ticks",
        connection -> {
          List<TickId> ticks = map(reports, TickReport::tick);
          SeriesBatch batch = tables.load(connection, map(ticks, TickId::task), ticks);
          List<TickReportReply> replies =
              map(reports, each -> batch.task(each.tick().task()).finish(each));
          save(connection, batch);
          return replies;
        });
  }

  @Override
  public void transact(FencedWork request, DataSource dataSource, SqlWork work)
      throws SQLException {
    transactions.run(request, dataSource, work);
  }

  @Override
  public SeriesState pause(String task, SeriesPause pause) {
    SeriesPause storable =
        new SeriesPause(
            LedgerColumns.text(pause.by()),
            LedgerColumns.text(pause.note()),
            LedgerColumns.micros(pause.at()));
    return change("pausing task " + task, task, row -> row.pause(storable));
  }

  @Override
  public Optional<SeriesState> resume(SeriesState seen, List<TickRecord.Range> gaps) {
    List<TickRecord.Range> given = List.copyOf(gaps);
    return change(
        "resuming task " + seen.task(), seen.task(), row -> row.resume(seen, given, now()));
  }

  @Override
  public boolean trigger(TickId tick) {
    String key = tick.trigger();
    if (key == null) {
      throw new IllegalArgumentException(
          "tick " + tick + " belongs to the schedule; use TickId.triggered(..) with a key");
    }
    TickId storable = TickId.triggered(tick.task(), LedgerColumns.micros(tick.nominal()), key);
    return database.inTransaction(
        "triggering task " + tick.task(),
        connection -> {
          SeriesBatch batch = tables.load(connection, List.of(tick.task()));
          SeriesRow row = batch.task(tick.task());
          boolean added = isNewKey(connection, storable, key);
          if (added) {
            row.awaitTaker(storable);
            save(connection, batch);
          }
          return added;
        });
  }

  @Override
  public TickRescue rescue(MemberId replica, Collection<String> names) {
    return rescue.run(replica, names);
  }

  @Override
  public void onWaiting(Runnable listener) {
    signals.listen(listener);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return database.once(
        "reading ticks of " + task,
        connection ->
            tables.ticks().newest(connection, task, limit).stream().map(TickImage::row).toList());
  }

  private <T> T change(String what, String task, Function<SeriesRow, T> step) {
    return database.inTransaction(
        what,
        connection -> {
          SeriesBatch batch = tables.load(connection, List.of(task));
          T result = step.apply(batch.task(task));
          save(connection, batch);
          return result;
        });
  }

  /** Writes, and tells everybody if a tick may be taken now. */
  private void save(Connection connection, SeriesBatch batch) throws SQLException {
    batch.save();
    if (batch.all().stream().anyMatch(SeriesRow::hasTakeable)) {
      signals.signal(connection);
    }
  }

  private boolean isNewKey(Connection connection, TickId tick, String key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insertTrigger)) {
      statement.setString(1, tick.task());
      statement.setString(2, key);
      statement.setString(3, LedgerColumns.time(tick.nominal()));
      return statement.executeUpdate() == 1;
    }
  }

  private static SeriesState state(Map<String, SeriesState> states, String task) {
    SeriesState state = states.get(task);
    if (state == null) {
      throw new IllegalStateException("task " + task + " vanished while it was registered");
    }
    return state;
  }

  private static SeriesRegistration registration(Map<String, SeriesRegistration> all, String task) {
    SeriesRegistration registration = all.get(task);
    if (registration == null) {
      throw new IllegalStateException("task " + task + " was read but not asked for");
    }
    return registration;
  }

  /** Returns the report as it can be read back. */
  private static TickReport storable(TickReport request) {
    if (!(request.report() instanceof Ended ended)) {
      return request;
    }
    Instant startedAt = ended.startedAt();
    return new TickReport(
        request.claim(),
        request.tick(),
        new Ended(
            ended.outcome(),
            ended.detail(),
            startedAt == null ? null : LedgerColumns.micros(startedAt),
            LedgerColumns.micros(ended.at()),
            ended.bodyEnded()));
  }

  private static void requireReportable(TickReport request) {
    if (request.report() instanceof Ended ended && !REPORTABLE.contains(ended.outcome())) {
      throw new IllegalArgumentException(
          "claim "
              + request.claim()
              + " cannot be reported as "
              + ended.outcome()
              + "; use one of "
              + REPORTABLE);
    }
  }

  private static <Q> List<LeaderProof> proofs(
      List<Q> requests, Function<Q, @Nullable LeaderProof> leader) {
    List<LeaderProof> proofs = new ArrayList<>();
    for (Q request : requests) {
      LeaderProof proof = leader.apply(request);
      if (proof != null) {
        proofs.add(proof);
      }
    }
    return proofs;
  }

  private static <Q, A> List<A> map(List<Q> from, Function<Q, A> step) {
    List<A> result = new ArrayList<>(from.size());
    for (Q item : from) {
      result.add(step.apply(item));
    }
    return result;
  }
}
