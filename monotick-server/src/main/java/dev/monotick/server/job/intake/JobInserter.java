package dev.monotick.server.job.intake;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.QueueFullException;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Inserts jobs in the open transaction, if there is room for them in their queues. */
@Component
class JobInserter {

  private static final Duration LATER = Duration.ofSeconds(5);
  private static final int MOST_KNOWN = 10_000;

  private final PostgresStore store;
  private final Sql sql;
  private final ServerSettings settings;

  /** Tenants and queues that are in the database; they stay there. */
  private final Set<List<String>> known = ConcurrentHashMap.newKeySet();

  JobInserter(PostgresStore store, Sql sql, ServerSettings settings) {
    this.store = store;
    this.sql = sql;
    this.settings = settings;
  }

  /**
   * Says whether nobody else may add jobs to the tenant meanwhile: so that new queues are counted
   * one at a time, and so that whoever waits for somebody's unique key, or keeps others waiting for
   * his, has locked the tenant first, as those do who retry jobs.
   */
  boolean mustBeAlone(String tenant, List<JobDraft> drafts) {
    return drafts.stream().anyMatch(each -> each.unique().isPresent())
        || (settings.get(JobSettings.QUEUES) >= 0 && !allKnown(tenant, drafts));
  }

  private boolean allKnown(String tenant, List<JobDraft> drafts) {
    return drafts.stream().allMatch(each -> isKnown(tenant, each.lane().queue()));
  }

  /** Refuses queues and parents that cannot be. */
  void require(String tenant, List<JobDraft> drafts, Optional<JobId> parent) {
    requireQueues(tenant, drafts);
    parent.ifPresent(id -> requireParent(tenant, id));
  }

  List<Enqueued> insert(
      List<JobDraft> drafts, EnqueueRequest.Follow follow, Optional<JobId> parent) {
    Optional<Long> depth =
        Optional.of(settings.get(JobSettings.QUEUE_DEPTH)).filter(most -> most >= 0);
    try {
      return sql.onConnection(
          connection ->
              store.jobs().enqueue(connection, new EnqueueRequest(drafts, follow, parent, depth)));
    } catch (QueueFullException e) {
      throw Problem.tooMany("queue-full", String.valueOf(e.getMessage()), LATER);
    }
  }

  private void requireParent(String tenant, JobId parent) {
    long found =
        sql.of(
                """
                select count(*) from @@job j join @@job_lane l on l.id = j.lane
                 where j.id = :id and l.tenant = :tenant
                """)
            .param("id", parent.value())
            .param("tenant", tenant)
            .query(Long.class)
            .single();
    if (found == 0) {
      throw Problem.invalid("parent", "parent: there is no job " + parent);
    }
  }

  private boolean isKnown(String tenant, String queue) {
    return known.contains(List.of(tenant, queue));
  }

  /** A queue that was used once is known to all replicas for good, so nobody may make up many. */
  private void requireQueues(String tenant, List<JobDraft> drafts) {
    long most = settings.get(JobSettings.QUEUES);
    if (most < 0 || allKnown(tenant, drafts)) {
      return;
    }
    Set<String> queues =
        new HashSet<>(
            sql.of("select distinct queue from @@job_lane where tenant = :tenant")
                .param("tenant", tenant)
                .query((row, number) -> row.getString(1))
                .list());
    if (known.size() >= MOST_KNOWN) {
      known.clear();
    }
    queues.forEach(queue -> known.add(List.of(tenant, queue)));
    for (JobDraft draft : drafts) {
      if (queues.add(draft.lane().queue()) && queues.size() > most) {
        throw Problem.invalid(
            "queue",
            "queue "
                + draft.lane().queue()
                + " would be one more than the "
                + most
                + " that a tenant may use; use one of "
                + queues.stream()
                    .filter(each -> !each.equals(draft.lane().queue()))
                    .sorted()
                    .limit(10)
                    .toList());
      }
    }
  }
}
