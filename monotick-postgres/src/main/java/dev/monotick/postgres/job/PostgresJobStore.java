package dev.monotick.postgres.job;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobCount;
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
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.postgres.notice.Notices;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.SqlWork;
import java.sql.Connection;
import java.sql.SQLException;
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

  private final DatabaseClock clock;
  private final JobEnqueuer enqueuer;
  private final JobTurns turns;
  private final JobWakes wakes;
  private final JobRescue rescue;
  private final JobNotes notes;
  private final JobTransactions transactions;

  /** Creates a store. */
  public PostgresJobStore(Database database, DatabaseClock clock, Notices notices) {
    this.clock = clock;
    Lanes lanes = new Lanes(database);
    DueTimes due = new DueTimes(clock);
    this.enqueuer = new JobEnqueuer(database, lanes, due);
    this.turns = new JobTurns(database, clock, lanes, due);
    this.wakes = new JobWakes(database, notices);
    this.rescue = new JobRescue(database);
    this.notes = new JobNotes(database);
    this.transactions = new JobTransactions(database, turns);
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public List<Enqueued> enqueue(JobOrder order) {
    List<Enqueued> replies = enqueuer.enqueue(order);
    Set<String> queues = new HashSet<>();
    order.drafts().forEach(draft -> queues.add(draft.lane().queue()));
    wakes.wake(queues);
    return replies;
  }

  @Override
  public List<Enqueued> enqueue(Connection connection, JobOrder order) throws SQLException {
    return enqueuer.enqueue(connection, order);
  }

  @Override
  public void wake(Collection<String> queues) {
    wakes.wake(queues);
  }

  @Override
  public void whenReady(Consumer<Set<String>> listener) {
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
  public Set<JobRun> note(ReplicaId replica, List<JobNote> notes) {
    return this.notes.note(replica, notes, turns.claims(replica));
  }

  @Override
  public int rescue() {
    return rescue.rescue();
  }

  @Override
  public void transact(ReplicaId replica, JobFinish success, DataSource dataSource, SqlWork work)
      throws SQLException {
    transactions.run(replica, success, dataSource, work);
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    throw new UnsupportedOperationException("cancel");
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    throw new UnsupportedOperationException("approve");
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    throw new UnsupportedOperationException("reject");
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    throw new UnsupportedOperationException("reschedule");
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    throw new UnsupportedOperationException("requeue");
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    throw new UnsupportedOperationException("purge");
  }

  @Override
  public Optional<Job> find(JobId id) {
    throw new UnsupportedOperationException("find");
  }

  @Override
  public List<JobNote.Line> log(JobId id, int limit) {
    throw new UnsupportedOperationException("log");
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    throw new UnsupportedOperationException("list");
  }

  @Override
  public List<JobCount> counts() {
    throw new UnsupportedOperationException("counts");
  }

  @Override
  public void pause(JobPause pause) {
    throw new UnsupportedOperationException("pause");
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    throw new UnsupportedOperationException("resume");
  }

  @Override
  public List<JobPause> pauses() {
    throw new UnsupportedOperationException("pauses");
  }

  @Override
  public void limit(JobLimit limit) {
    throw new UnsupportedOperationException("limit");
  }

  @Override
  public boolean unlimit(JobLimit.Scope scope) {
    throw new UnsupportedOperationException("unlimit");
  }

  @Override
  public List<JobLimit> limits() {
    throw new UnsupportedOperationException("limits");
  }

  @Override
  public void weigh(String tenant, int weight) {
    throw new UnsupportedOperationException("weigh");
  }

  /** Ends the session that wakes others. */
  @Override
  public void close() {
    wakes.close();
  }
}
