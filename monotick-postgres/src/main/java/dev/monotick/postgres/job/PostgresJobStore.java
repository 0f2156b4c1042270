package dev.monotick.postgres.job;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobCount;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobFilter;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.postgres.notice.Notice;
import dev.monotick.postgres.notice.Notices;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.SqlWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Jobs in the database. Thread-safe. */
public final class PostgresJobStore implements JobStore, AutoCloseable {

  private static final Duration TOLD = Duration.ofSeconds(10);
  private static final Duration NOT_TOLD = Duration.ofSeconds(1);

  private final DatabaseClock clock;
  private final JobEnqueuer enqueuer;
  private final LaneScans scans;
  private final JobTurns turns;
  private final JobWakes wakes;
  private final JobRescue rescue;
  private final JobNotes notes;
  private final RunStarts starts;
  private final JobTransactions transactions;
  private final Database database;
  private final JobHints hints;
  private final JobControl control;
  private final JobReader reader;
  private final JobHealth health;
  private final JobSettings settings;

  /**
   * Creates a store.
   *
   * @param timeline SQL of type bigint: which history the server is in
   */
  public PostgresJobStore(
      Database database, DatabaseClock clock, Notices notices, String timeline) {
    this.clock = clock;
    Lanes lanes = new Lanes(database);
    DueTimes due = new DueTimes(clock);
    this.enqueuer = new JobEnqueuer(database, lanes, due);
    OwnChannel own = new OwnChannel();
    this.scans = new LaneScans(database, clock, timeline);
    this.turns = new JobTurns(database, scans, lanes, due, own);
    database.whenBroken(turns::forget);
    this.wakes =
        new JobWakes(database, notices, new JobEar(database, own, turns::turn, due::lookSoon));
    scans.whenFound(() -> wakes.added(Set.of()));
    this.rescue = new JobRescue(database, turns::claims);
    this.notes = new JobNotes(database);
    this.starts = new RunStarts(database);
    this.transactions = new JobTransactions(database, turns);
    this.database = database;
    this.hints = new LocalHints(wakes, due);
    this.control = new JobControl(database, new JobEnds(database), hints);
    this.reader = new JobReader(database);
    this.health = new JobHealth(database);
    this.settings = new JobSettings(database, wakes);
  }

  /** Returns what decides about jobs in the transaction that is open on a connection. */
  public JobDecisions decisions(Connection connection) {
    return new JobDecisions(database, connection, hints);
  }

  /** Returns what makes queues in a database slow, with the name of who does it. */
  public JobHealth.Report health() {
    return health.read();
  }

  /** Whoever is told of new jobs needs to look only for what nobody told. */
  @Override
  public Duration pollInterval() {
    return wakes.arrive() ? TOLD : NOT_TOLD;
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public List<Enqueued> enqueue(JobOrder order) {
    Set<String> queues = new HashSet<>();
    boolean later = false;
    for (JobDraft draft : order.drafts()) {
      queues.add(draft.lane().queue());
      later |= DueTimes.concern(draft);
    }
    Optional<Notice> notice = queues.isEmpty() ? Optional.empty() : wakes.lead(queues, later);
    JobEnqueuer.Added added = enqueuer.enqueue(order, notice);
    if (notice.isEmpty()) {
      wakes.wake(queues, later);
    } else if (!added.handed()) { // else one replica has it, and knows
      wakes.added(queues);
    }
    return added.replies();
  }

  @Override
  public List<Enqueued> enqueue(Connection connection, JobOrder order) throws SQLException {
    return enqueuer.enqueue(connection, order);
  }

  @Override
  public void wake(Collection<String> queues) {
    if (queues.isEmpty()) {
      wakes.wakeAll();
    } else {
      wakes.wake(queues);
    }
  }

  @Override
  public void membershipLost(ReplicaId replica) {
    turns.retire(replica);
    wakes.renew();
  }

  @Override
  public void whenReady(ReadyListener listener) {
    wakes.whenReady(listener);
  }

  @Override
  public void whenEnded(Consumer<Set<JobId>> listener) {
    wakes.whenEnded(listener);
  }

  @Override
  public JobTurnReply turn(JobTurn turn) {
    return turns.turn(turn);
  }

  @Override
  public Set<JobRun> start(ReplicaId replica, List<JobRun> runs, Instant at) {
    return starts.start(replica, runs, at, turns.claims(replica));
  }

  @Override
  public Set<JobRun> note(ReplicaId replica, List<JobNote> notes) {
    return this.notes.note(replica, notes, turns.claims(replica));
  }

  @Override
  public int rescue() {
    int jobs = rescue.rescue();
    // Whoever died while he claimed left jobs behind that others went past, since he had them
    // locked.
    turns.lookAtAllSoon();
    return jobs;
  }

  @Override
  public void transact(ReplicaId replica, JobFinish success, DataSource dataSource, SqlWork work)
      throws SQLException {
    transactions.run(replica, success, dataSource, work);
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    return control.cancel(id, by, reason);
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    return control.approve(id, by, note);
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return control.reject(id, by, note);
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    return control.reschedule(id, at);
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    return control.requeue(ids, by);
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    return control.purge(ids);
  }

  @Override
  public Optional<Job> find(JobId id) {
    return reader.find(id);
  }

  @Override
  public List<JobNote.Line> log(JobId id, int limit) {
    return reader.log(id, limit);
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return reader.list(filter, limit);
  }

  @Override
  public List<Job> list(List<JobId> ids) {
    return reader.list(ids);
  }

  @Override
  public List<JobCount> counts() {
    return reader.counts();
  }

  @Override
  public void pause(JobPause pause) {
    settings.pause(pause);
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    return settings.resume(of, name);
  }

  @Override
  public List<JobPause> pauses() {
    return settings.pauses();
  }

  @Override
  public void limit(JobLimit limit) {
    settings.limit(limit);
  }

  @Override
  public boolean unlimit(JobLimit.Scope scope) {
    return settings.unlimit(scope);
  }

  @Override
  public List<JobLimit> limits() {
    return settings.limits();
  }

  @Override
  public void weigh(String tenant, int weight) {
    settings.weigh(tenant, weight);
  }

  @Override
  public void retain(String queue, String tenant, Duration retention) {
    settings.retain(queue, tenant, retention);
  }

  /** Returns what looks for jobs in the background, for tests. */
  LaneScans scans() {
    return scans;
  }

  /** Saves how far jobs were claimed, and ends the session that wakes others. */
  @Override
  public void close() {
    scans.close();
    turns.saveScans();
    wakes.close();
  }
}
