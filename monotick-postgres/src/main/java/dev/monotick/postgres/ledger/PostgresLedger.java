package dev.monotick.postgres.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.FinishRequest.Ended;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.LeaderProof;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.TransactRequest;
import dev.monotick.ledger.internal.FenceCheck;
import dev.monotick.ledger.internal.TaskRow;
import dev.monotick.ledger.internal.TickImage;
import dev.monotick.postgres.connection.Database;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import dev.monotick.task.SqlWork;
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
 * also, in share mode, their group's fence), do the steps of {@link TaskRow}, write, commit. No
 * lock is held while foreign code runs.
 *
 * <p>A tick is unique for two reasons that do not need each other: a claim moves the cursor of its
 * locked task by a comparison, and the tick's row has a primary key. A commit whose answer was lost
 * is resolved by sending the same claim again: if it was granted, its row is there and says so.
 */
public final class PostgresLedger implements Ledger {

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
  private final Tables tables;
  private final TermMint mint;
  private final DatabaseClock clock;
  private final WaitingHints hints;
  private final LedgerRescue rescue;
  private final FencedTransaction transactions;
  private final String insertTrigger;

  /**
   * Creates the ledger of a database whose tables are there.
   *
   * @param timeline SQL that tells the history a server is in
   */
  public PostgresLedger(
      Database database, String timeline, DatabaseClock clock, WaitingHints hints) {
    this.database = database;
    this.tables = Tables.of(database);
    this.mint = new TermMint(database, timeline);
    this.clock = clock;
    this.hints = hints;
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
  public Fence mintFence(String group, ReplicaId holder) {
    return database.inTransaction(
        "beginning a term of " + group, connection -> mint.mint(connection, group, holder));
  }

  @Override
  public List<TaskState> register(List<TaskRegistration> registrations) {
    Map<String, TaskRegistration> byName = new HashMap<>();
    for (TaskRegistration given : registrations) {
      Instant start = Columns.micros(given.start());
      byName.put(given.task(), new TaskRegistration(given.task(), given.schedule(), start));
    }
    Map<String, TaskState> states = new HashMap<>();
    return database.inTransaction(
        "registering tasks",
        connection -> {
          tables.tasks().insert(connection, byName.values());
          List<String> changed = new ArrayList<>();
          for (TaskTable.Stored task : tables.tasks().select(connection, byName.keySet())) {
            String name = task.state().task();
            states.put(name, task.state());
            if (!task.schedule().equals(registration(byName, name).schedule())) {
              changed.add(name);
            }
          }
          if (!changed.isEmpty()) {
            TaskBatch batch = tables.load(connection, changed);
            for (String name : changed) {
              states.put(name, batch.task(name).register(registration(byName, name)));
            }
            batch.save();
          }
          return registrations.stream().map(given -> state(states, given.task())).toList();
        });
  }

  @Override
  public List<TaskState> states(Collection<String> names) {
    if (names.isEmpty()) {
      return List.of();
    }
    return database.once(
        "reading tasks",
        connection ->
            tables.tasks().select(connection, names).stream()
                .map(TaskTable.Stored::state)
                .toList());
  }

  @Override
  public List<ClaimReply> claim(List<ClaimRequest> requests) {
    Function<ClaimRequest, String> task = request -> request.tick().task();
    return database.inTransaction(
        "claiming ticks",
        connection -> {
          FenceCheck fences =
              tables.fences().share(connection, proofs(requests, ClaimRequest::leader));
          TaskBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<ClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).claim(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<ClaimReply> take(List<TakeRequest> requests) {
    Function<TakeRequest, String> task = request -> request.tick().task();
    return database.inTransaction(
        "taking ticks",
        connection -> {
          FenceCheck fences =
              tables.fences().share(connection, proofs(requests, TakeRequest::leader));
          TaskBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<ClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).take(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<ClaimReply> account(List<AccountRequest> requests) {
    Function<AccountRequest, String> task = request -> request.seen().task();
    return database.inTransaction(
        "accounting for ticks",
        connection -> {
          FenceCheck fences =
              tables.fences().share(connection, proofs(requests, AccountRequest::leader));
          TaskBatch batch = tables.load(connection, map(requests, task));
          Instant now = now();
          List<ClaimReply> replies =
              map(requests, each -> batch.task(task.apply(each)).account(each, fences, now));
          batch.save();
          return replies;
        });
  }

  @Override
  public List<FinishReply> finish(List<FinishRequest> requests) {
    requests.forEach(PostgresLedger::requireReportable);
    List<FinishRequest> reports = map(requests, PostgresLedger::storable);
    return database.inTransaction(
        "reporting on ticks",
        connection -> {
          List<TickId> ticks = map(reports, FinishRequest::tick);
          TaskBatch batch = tables.load(connection, map(ticks, TickId::task), ticks);
          List<FinishReply> replies =
              map(reports, each -> batch.task(each.tick().task()).finish(each));
          save(connection, batch);
          return replies;
        });
  }

  @Override
  public void transact(TransactRequest request, DataSource dataSource, SqlWork work)
      throws SQLException {
    transactions.run(request, dataSource, work);
  }

  @Override
  public TaskState pause(String task, Pause pause) {
    Pause storable =
        new Pause(Columns.text(pause.by()), Columns.text(pause.note()), Columns.micros(pause.at()));
    return change("pausing task " + task, task, row -> row.pause(storable));
  }

  @Override
  public Optional<TaskState> resume(TaskState seen, List<Gap> gaps) {
    List<Gap> given = List.copyOf(gaps);
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
    TickId storable = TickId.triggered(tick.task(), Columns.micros(tick.nominal()), key);
    return database.inTransaction(
        "triggering task " + tick.task(),
        connection -> {
          TaskBatch batch = tables.load(connection, List.of(tick.task()));
          TaskRow row = batch.task(tick.task());
          boolean added = isNewKey(connection, storable, key);
          if (added) {
            row.awaitTaker(storable);
            save(connection, batch);
          }
          return added;
        });
  }

  @Override
  public Rescue rescue(ReplicaId replica, Collection<String> names) {
    return rescue.run(replica, names);
  }

  @Override
  public void whenWaiting(Runnable listener) {
    hints.listen(listener);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return database.once(
        "reading ticks of " + task,
        connection ->
            tables.ticks().newest(connection, task, limit).stream().map(TickImage::row).toList());
  }

  private <T> T change(String what, String task, Function<TaskRow, T> step) {
    return database.inTransaction(
        what,
        connection -> {
          TaskBatch batch = tables.load(connection, List.of(task));
          T result = step.apply(batch.task(task));
          save(connection, batch);
          return result;
        });
  }

  /** Writes, and tells everybody if a tick may be taken now. */
  private void save(Connection connection, TaskBatch batch) throws SQLException {
    batch.save();
    if (batch.all().stream().anyMatch(TaskRow::hasTakeable)) {
      hints.tell(connection);
    }
  }

  private boolean isNewKey(Connection connection, TickId tick, String key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insertTrigger)) {
      statement.setString(1, tick.task());
      statement.setString(2, key);
      statement.setString(3, Columns.time(tick.nominal()));
      return statement.executeUpdate() == 1;
    }
  }

  private static TaskState state(Map<String, TaskState> states, String task) {
    TaskState state = states.get(task);
    if (state == null) {
      throw new IllegalStateException("task " + task + " vanished while it was registered");
    }
    return state;
  }

  private static TaskRegistration registration(Map<String, TaskRegistration> all, String task) {
    TaskRegistration registration = all.get(task);
    if (registration == null) {
      throw new IllegalStateException("task " + task + " was read but not asked for");
    }
    return registration;
  }

  /** Returns the report as it can be read back. */
  private static FinishRequest storable(FinishRequest request) {
    if (!(request.report() instanceof Ended ended)) {
      return request;
    }
    Instant startedAt = ended.startedAt();
    return new FinishRequest(
        request.claim(),
        request.tick(),
        new Ended(
            ended.outcome(),
            ended.detail(),
            startedAt == null ? null : Columns.micros(startedAt),
            Columns.micros(ended.at()),
            ended.bodyEnded()));
  }

  private static void requireReportable(FinishRequest request) {
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
