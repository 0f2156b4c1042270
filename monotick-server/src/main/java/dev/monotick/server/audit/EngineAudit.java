package dev.monotick.server.audit;

import dev.monotick.Monotick;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.JobEnded;
import dev.monotick.event.MonotickEvent.LeadershipGained;
import dev.monotick.event.MonotickEvent.LeadershipLost;
import dev.monotick.event.MonotickEvent.TaskPaused;
import dev.monotick.event.MonotickEvent.TickEnded;
import dev.monotick.job.JobState;
import dev.monotick.server.database.Sql;
import dev.monotick.tick.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Records what the engine tells of itself: retries, dead jobs, leadership, tasks that failed. It is
 * told after the fact, so these are not part of the transaction in which they happened. They wait
 * in a queue and are appended together; if the database is away for so long that the queue is full,
 * new ones are dropped and counted. The engine never waits.
 */
@Component
public class EngineAudit implements EventListener, SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(EngineAudit.class);
  private static final int MOST = 10_000;
  private static final int BATCH = 500;
  private static final String JOB = "job/";

  private final AuditTrail trail;
  private final Sql sql;
  private final ObjectProvider<Monotick> monotick;
  private final BlockingQueue<AuditEntry> queue = new LinkedBlockingQueue<>(MOST);
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean running;

  EngineAudit(AuditTrail trail, Sql sql, ObjectProvider<Monotick> monotick) {
    this.trail = trail;
    this.sql = sql;
    this.monotick = monotick;
  }

  /** Asked late: the engine is built with this as one of its parts. */
  private String replica() {
    return monotick.getObject().replicaName();
  }

  @Override
  public void on(MonotickEvent event) {
    if (event instanceof LeadershipGained gained) {
      installation(
          "leadership_gained",
          "leadership/" + gained.term().group(),
          Map.of("fence", gained.term().fence().toString()));
    } else if (event instanceof LeadershipLost lost) {
      installation(
          "leadership_lost",
          "leadership/" + lost.term().group(),
          Map.of("fence", lost.term().fence().toString(), "cause", lost.cause().name()));
    } else if (event instanceof TickEnded ended && isBad(ended.outcome())) {
      installation(
          "task_" + ended.outcome().name().toLowerCase(Locale.ROOT),
          "task/" + ended.tick().task(),
          Map.of("nominal", ended.tick().nominal().toString()));
    } else if (event instanceof TaskPaused paused && paused.by().equals("monotick")) {
      installation("task_paused", "task/" + paused.task(), Map.of("note", paused.note()));
    } else if (event instanceof JobEnded ended && ended.end().equals("Retried")) {
      installation(
          "job_retry",
          JOB + ended.id(),
          Map.of(
              "old_status",
              JobState.RUNNING.name(),
              "new_status",
              JobState.RETRYING.name(),
              "attempts",
              Integer.toString(ended.attempt()),
              "max_attempts",
              Integer.toString(ended.maxAttempts())));
    } else if (event instanceof JobEnded ended && ended.end().equals("Died")) {
      installation(
          "job_dead", JOB + ended.id(), Map.of("kind", ended.kind(), "attempt", ended.attempt()));
    }
  }

  private static boolean isBad(Outcome outcome) {
    return outcome == Outcome.FAILED || outcome == Outcome.TIMED_OUT || outcome == Outcome.UNKNOWN;
  }

  /** Records that this replica saw to runs of replicas that are gone. */
  public void rescued(int runs) {
    installation("jobs_rescued", "replica/" + replica(), Map.of("runs", runs));
  }

  private void installation(String action, String subject, Map<String, Object> detail) {
    Map<String, Object> more = new HashMap<>(detail);
    more.put("replica", replica());
    add(AuditEntry.bySystem(AuditEntry.INSTALLATION, action, subject, more));
  }

  /** Records something soon; drops it if too much waits already. */
  public void add(AuditEntry entry) {
    if (!queue.offer(entry)) {
      dropped.incrementAndGet();
    }
  }

  /** Returns how many were dropped. */
  public long dropped() {
    return dropped.get();
  }

  /** Appends what waits. One caller at a time; if it fails, what was taken is put back. */
  synchronized void flush() {
    List<AuditEntry> entries = new ArrayList<>(BATCH);
    while (queue.drainTo(entries, BATCH) > 0) {
      try {
        sql.inTransaction(() -> trail.append(withTenants(entries)));
      } catch (RuntimeException e) {
        entries.forEach(this::add);
        throw e;
      }
      entries.clear();
    }
  }

  /** What is about a job is its tenant's. */
  private List<AuditEntry> withTenants(List<AuditEntry> entries) {
    Map<Long, String> tenants =
        tenants(
            entries.stream()
                .filter(each -> each.subject().startsWith(JOB))
                .map(EngineAudit::job)
                .toArray(Long[]::new));
    return entries.stream()
        .map(
            each ->
                each.subject().startsWith(JOB)
                    ? each.of(tenants.getOrDefault(job(each), each.tenant()))
                    : each)
        .toList();
  }

  private static Long job(AuditEntry entry) {
    return Long.valueOf(entry.subject().substring(JOB.length()));
  }

  private Map<Long, String> tenants(Long[] jobs) {
    Map<Long, String> tenants = new LinkedHashMap<>();
    if (jobs.length > 0) {
      sql.of(
              """
              select j.id, l.tenant from @@job j join @@job_lane l on l.id = j.lane
               where j.id = any(:jobs)
              """)
          .param("jobs", jobs)
          .query((row, number) -> Map.entry(row.getLong(1), row.getString(2)))
          .list()
          .forEach(each -> tenants.put(each.getKey(), each.getValue()));
    }
    return tenants;
  }

  @Override
  public void start() {
    running = true;
  }

  /** What the engine said while it stopped is recorded too. */
  @Override
  public void stop() {
    running = false;
    try {
      flush();
    } catch (RuntimeException e) {
      log.warn(
          "what the engine did last was not recorded entries={}: {}", queue.size(), e.toString());
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops after the engine, which tells of the end of its terms. */
  @Override
  public int getPhase() {
    return -1;
  }
}
