package dev.monotick.postgres.job.admin;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.notify.JobStoreSignals;
import dev.monotick.postgres.job.view.JobReader;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decisions about jobs in a transaction of the caller's: they hold if it commits, together with
 * whatever else it does. At read committed, and on one thread. Call {@link #signal} when it has
 * committed, or replicas find out at their next look.
 */
public final class JobDecisions {

  private final CollectedSignals collected = new CollectedSignals();
  private final JobStoreSignals signals;
  private final JobControl control;
  private final JobReader reader;

  /** Who is to be told, once it is true. */
  private static final class CollectedSignals implements JobStoreSignals {

    private final Set<JobId> ended = new HashSet<>();
    private final Set<String> queues = new HashSet<>();

    @Override
    public void jobsEnded(Collection<JobId> ids) {
      ended.addAll(ids);
    }

    @Override
    public void queuesReady(Collection<String> names) {
      queues.addAll(names);
    }
  }

  public JobDecisions(Database database, Connection connection, JobStoreSignals hints) {
    Database joined = database.joining(connection);
    this.signals = hints;
    this.control = new JobControl(joined, new FollowUps(joined), collected);
    this.reader = new JobReader(joined);
  }

  /** Returns a job as this transaction sees it. */
  public Optional<Job> find(JobId id) {
    return reader.find(id);
  }

  /** See {@link dev.monotick.job.Jobs#cancel}. */
  public boolean cancel(JobId id, String by, String reason) {
    return control.cancel(id, by, reason);
  }

  /** See {@link dev.monotick.job.Jobs#approve}. */
  public boolean approve(JobId id, String by, String note) {
    return control.approve(id, by, note);
  }

  /** See {@link dev.monotick.job.Jobs#reject}. */
  public boolean reject(JobId id, String by, String note) {
    return control.reject(id, by, note);
  }

  /** See {@link dev.monotick.job.Jobs#reschedule}. */
  public boolean reschedule(JobId id, Instant at) {
    return control.reschedule(id, at);
  }

  /** See {@link dev.monotick.job.Jobs#requeue}. */
  public List<JobId> requeue(List<JobId> ids, String by) {
    return control.requeue(ids, by);
  }

  /** Tells replicas of what was decided; after the commit. */
  public void signal() {
    if (!collected.ended.isEmpty()) {
      signals.jobsEnded(Set.copyOf(collected.ended));
    }
    if (!collected.queues.isEmpty()) {
      signals.queuesReady(Set.copyOf(collected.queues));
    }
  }
}
