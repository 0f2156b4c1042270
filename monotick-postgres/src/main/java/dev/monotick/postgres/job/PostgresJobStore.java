package dev.monotick.postgres.job;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.admin.FollowUps;
import dev.monotick.postgres.job.admin.JobControl;
import dev.monotick.postgres.job.admin.JobDecisions;
import dev.monotick.postgres.job.admin.JobRuleChanges;
import dev.monotick.postgres.job.handoff.HandoffChannel;
import dev.monotick.postgres.job.lane.LaneDirectory;
import dev.monotick.postgres.job.lane.ScanUpkeep;
import dev.monotick.postgres.job.notify.JobNotificationListener;
import dev.monotick.postgres.job.notify.JobNotifier;
import dev.monotick.postgres.job.notify.JobStoreSignals;
import dev.monotick.postgres.job.notify.LocalSignals;
import dev.monotick.postgres.job.queue.ClaimCalls;
import dev.monotick.postgres.job.queue.DueTimes;
import dev.monotick.postgres.job.queue.JobEnqueuer;
import dev.monotick.postgres.job.queue.JobRescue;
import dev.monotick.postgres.job.queue.JobTransactions;
import dev.monotick.postgres.job.queue.RunProgressTable;
import dev.monotick.postgres.job.queue.RunStartTable;
import dev.monotick.postgres.job.row.ExchangeCall;
import dev.monotick.postgres.job.view.JobReader;
import dev.monotick.postgres.job.view.QueueHealth;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.postgres.notify.Notification;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobHandoffStore;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobSignals;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.SqlWork;
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

  private static final Duration POLL_INTERVAL_WITH_NOTIFICATIONS = Duration.ofSeconds(10);
  private static final Duration POLL_INTERVAL_WITHOUT_NOTIFICATIONS = Duration.ofSeconds(1);

  private final DatabaseClock clock;
  private final JobEnqueuer enqueuer;
  private final ScanUpkeep scans;
  private final ClaimCalls exchanges;
  private final PostgresHandoff handoffs;
  private final JobNotifier notifier;
  private final JobRescue rescue;
  private final RunProgressTable notes;
  private final RunStartTable starts;
  private final JobTransactions transactions;
  private final Database database;
  private final JobStoreSignals signals;
  private final JobControl control;
  private final JobReader reader;
  private final QueueHealth health;
  private final JobRuleChanges settings;

  /**
   * Creates a store.
   *
   * @param timeline SQL of type bigint: which history the server is in
   */
  public PostgresJobStore(
      Database database, DatabaseClock clock, Notifications notices, String timeline) {
    this.clock = clock;
    LaneDirectory lanes = new LaneDirectory(database);
    DueTimes due = new DueTimes(clock);
    this.enqueuer = new JobEnqueuer(database, lanes, due);
    HandoffChannel own = new HandoffChannel();
    this.scans = new ScanUpkeep(database, clock, timeline);
    this.exchanges = new ClaimCalls(database, scans, lanes, due, own);
    database.whenBroken(exchanges::forget);
    this.handoffs = new PostgresHandoff(exchanges, this::dropNotifications);
    this.notifier =
        new JobNotifier(
            database,
            notices,
            new JobNotificationListener(database, own, handoffs::notified, due::pollSoon));
    scans.whenFound(() -> notifier.added(Set.of()));
    this.rescue = new JobRescue(database, () -> exchanges.claims().current());
    this.notes = new RunProgressTable(database);
    this.starts = new RunStartTable(database);
    this.transactions = new JobTransactions(database, exchanges);
    this.database = database;
    this.signals = new LocalSignals(notifier, due);
    this.control = new JobControl(database, new FollowUps(database), signals);
    this.reader = new JobReader(database);
    this.health = new QueueHealth(database);
    this.settings = new JobRuleChanges(database, notifier);
  }

  /** Returns what decides about jobs in the transaction that is open on a connection. */
  public JobDecisions decisions(Connection connection) {
    return new JobDecisions(database, connection, signals);
  }

  /** Returns what makes queues in a database slow, with the name of who does it. */
  public QueueHealth.Report health() {
    return health.read();
  }

  /** Whoever is told of new jobs needs to look only for what nobody told. */
  @Override
  public Duration pollInterval() {
    return notifier.arrive()
        ? POLL_INTERVAL_WITH_NOTIFICATIONS
        : POLL_INTERVAL_WITHOUT_NOTIFICATIONS;
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public List<Enqueued> enqueue(EnqueueRequest order) {
    Set<String> queues = new HashSet<>();
    boolean later = false;
    for (JobDraft draft : order.drafts()) {
      queues.add(draft.lane().queue());
      later |= DueTimes.concern(draft);
    }
    Optional<Notification> notice =
        queues.isEmpty() ? Optional.empty() : notifier.lead(queues, later);
    JobEnqueuer.Added added = enqueuer.enqueue(order, notice);
    if (notice.isEmpty()) {
      notifier.queuesReady(queues, later);
    } else if (!added.handedOff()) { // else one replica has it, and knows
      notifier.added(queues);
    }
    return added.replies();
  }

  @Override
  public List<Enqueued> enqueue(Connection connection, EnqueueRequest order) throws SQLException {
    return enqueuer.enqueue(connection, order);
  }

  @Override
  public void notifyWorkers(Collection<String> queues) {
    if (queues.isEmpty()) {
      notifier.allQueuesReady();
    } else {
      notifier.queuesReady(queues);
    }
  }

  private void dropNotifications() {
    notifier.renew();
  }

  @Override
  public void onReady(JobSignals listener) {
    notifier.whenReady(listener);
  }

  @Override
  public void onEnded(Consumer<Set<JobId>> listener) {
    notifier.whenEnded(listener);
  }

  @Override
  public ClaimReply claim(ClaimRequest request) {
    return exchanges.exchange(ExchangeCall.of(request)).claim();
  }

  @Override
  public List<Boolean> complete(List<Completion> completions) {
    return completions.isEmpty()
        ? List.of()
        : exchanges.exchange(ExchangeCall.of(completions)).completed();
  }

  @Override
  public ExchangeReply exchange(ExchangeRequest request) {
    return exchanges.exchange(ExchangeCall.of(request));
  }

  @Override
  public Optional<JobHandoffStore> handoff() {
    return Optional.of(handoffs);
  }

  @Override
  public Set<JobRun> start(MemberId replica, List<JobRun> runs, Instant at) {
    return starts.start(replica, runs, at, exchanges.claims().of(replica));
  }

  @Override
  public Set<JobRun> note(MemberId replica, List<RunProgress> notes) {
    return this.notes.note(replica, notes, exchanges.claims().of(replica));
  }

  @Override
  public int rescue() {
    int jobs = rescue.rescue();
    // Whoever died while he claimed left jobs behind that others went past, since he had them
    // locked.
    exchanges.scanAllSoon();
    return jobs;
  }

  @Override
  public void transact(MemberId replica, Completion success, DataSource dataSource, SqlWork work)
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
  public List<Job.LogLine> log(JobId id, int limit) {
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
  public boolean removeLimit(JobLimit.Scope scope) {
    return settings.removeLimit(scope);
  }

  @Override
  public List<JobLimit> limits() {
    return settings.limits();
  }

  @Override
  public void setTenantWeight(String tenant, int weight) {
    settings.setTenantWeight(tenant, weight);
  }

  @Override
  public void retain(String queue, String tenant, Duration retention) {
    settings.retain(queue, tenant, retention);
  }

  /** Returns what looks for jobs in the background, for tests. */
  ScanUpkeep scans() {
    return scans;
  }

  /** Saves how far jobs were claimed, and ends the session that wakes others. */
  @Override
  public void close() {
    scans.close();
    exchanges.saveScans();
    notifier.close();
  }
}
