package dev.monotick.engine.client;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.job.PayloadCodec;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks what people ask, and asks the store. */
public final class StoreJobs implements Jobs {

  private static final int LARGEST_LIST = 1_000;
  private static final int LONGEST_TEXT = 1_000;
  private static final int MOST_AT_ONCE = 100_000;

  private final JobStore store;
  private final Payloads payloads;
  private final EnqueueBatcher enqueuer;
  private final Terms terms;
  private final JobWaits waits;

  /**
   * What holds for all jobs that are added.
   *
   * @param depth a queue with so many takes no more
   * @param parent the job that wants them
   */
  private record Terms(Optional<Long> depth, Optional<JobId> parent) {

    private static final Terms NONE = new Terms(Optional.empty(), Optional.empty());
  }

  /** Creates one; without a codec, what the class path offers is used. */
  public StoreJobs(JobStore store, @Nullable PayloadCodec codec) {
    this(store, new Payloads(codec), new EnqueueBatcher(store), Terms.NONE, new JobWaits(store));
  }

  private StoreJobs(
      JobStore store, Payloads payloads, EnqueueBatcher enqueuer, Terms terms, JobWaits waits) {
    this.store = store;
    this.payloads = payloads;
    this.enqueuer = enqueuer;
    this.terms = terms;
    this.waits = waits;
  }

  /** Returns how payloads are written. */
  public Payloads payloads() {
    return payloads;
  }

  @Override
  public Enqueued enqueue(JobRequest<?> request) {
    JobDraft draft = draft(request);
    return terms.equals(Terms.NONE)
        ? enqueuer.enqueue(draft)
        : store.enqueue(order(List.of(draft), Follow.NONE)).get(0);
  }

  @Override
  public List<Enqueued> enqueue(List<? extends JobRequest<?>> requests) {
    return requests.isEmpty() ? List.of() : store.enqueue(order(drafts(requests), Follow.NONE));
  }

  @Override
  public Enqueued enqueue(Connection connection, JobRequest<?> request) throws SQLException {
    return store.enqueue(connection, order(List.of(draft(request)), Follow.NONE)).get(0);
  }

  @Override
  public List<Enqueued> enqueue(Connection connection, List<? extends JobRequest<?>> requests)
      throws SQLException {
    return requests.isEmpty()
        ? List.of()
        : store.enqueue(connection, order(drafts(requests), Follow.NONE));
  }

  @Override
  public void notifyWorkers() {
    store.notifyWorkers(Set.of());
  }

  @Override
  public List<Enqueued> chain(List<? extends JobRequest<?>> requests) {
    return requests.isEmpty() ? List.of() : store.enqueue(order(drafts(requests), Follow.CHAIN));
  }

  @Override
  public List<Enqueued> batch(List<? extends JobRequest<?>> requests, JobRequest<?> whenAllEnded) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("batch must have at least one job beside the last one");
    }
    List<JobDraft> drafts = new ArrayList<>(drafts(requests));
    drafts.add(draft(whenAllEnded));
    return store.enqueue(order(drafts, Follow.LAST_AFTER_ALL));
  }

  @Override
  public Jobs withMaxQueueDepth(long most) {
    if (most < 1) {
      throw new IllegalArgumentException("depth must be at least 1, but was " + most);
    }
    return with(new Terms(Optional.of(most), terms.parent()));
  }

  @Override
  public Jobs childrenOf(JobId parent) {
    return with(new Terms(terms.depth(), Optional.of(parent)));
  }

  private Jobs with(Terms other) {
    return new StoreJobs(store, payloads, enqueuer, other, waits);
  }

  private EnqueueRequest order(List<JobDraft> drafts, Follow follow) {
    return new EnqueueRequest(drafts, follow, terms.parent(), terms.depth());
  }

  private List<JobDraft> drafts(List<? extends JobRequest<?>> requests) {
    if (requests.size() > MOST_AT_ONCE) {
      throw new IllegalArgumentException(
          "requests must be at most " + MOST_AT_ONCE + " at a time, but were " + requests.size());
    }
    List<JobDraft> drafts = new ArrayList<>(requests.size());
    for (JobRequest<?> request : requests) {
      drafts.add(draft(request));
    }
    return drafts;
  }

  private JobDraft draft(JobRequest<?> request) {
    return new JobDraft(
        request.lane(),
        request.kind().version(),
        payloads.encode("payload", request.payload()),
        request.start(),
        request.rules(),
        request.unique(),
        request.limitKey(),
        request.headers());
  }

  @Override
  public Optional<Job> find(JobId id) {
    return store.find(requireNonNull(id, "id"));
  }

  @Override
  public Optional<Job> await(JobId id, Duration longest) throws InterruptedException {
    return waits.await(requireNonNull(id, "id"), longest);
  }

  @Override
  public List<Job.LogLine> log(JobId id, int limit) {
    return store.log(requireNonNull(id, "id"), requireLimit(limit));
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return store.list(requireNonNull(filter, "filter"), requireLimit(limit));
  }

  private static int requireLimit(int limit) {
    if (limit < 1 || limit > LARGEST_LIST) {
      throw new IllegalArgumentException(
          "limit must be between 1 and " + LARGEST_LIST + ", but was " + limit);
    }
    return limit;
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    return store.cancel(id, requireText("by", by), requireText("reason", reason));
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    boolean approved = store.approve(id, requireText("by", by), requireText("note", note));
    if (approved) {
      store.notifyWorkers(Set.of());
    }
    return approved;
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return store.reject(id, requireText("by", by), requireText("note", note));
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    boolean done = store.reschedule(id, requireNonNull(at, "at"));
    if (done) {
      store.notifyWorkers(Set.of()); // it may be due before whoever waits looks again
    }
    return done;
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    List<JobId> done = store.requeue(requireIds(ids), requireText("by", by));
    if (!done.isEmpty()) {
      store.notifyWorkers(Set.of());
    }
    return done;
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    return store.purge(requireIds(ids));
  }

  private static List<JobId> requireIds(List<JobId> ids) {
    if (ids.size() > LARGEST_LIST) {
      throw new IllegalArgumentException(
          "ids must be at most " + LARGEST_LIST + " at a time, but were " + ids.size());
    }
    return List.copyOf(ids);
  }

  private static String requireText(String field, String text) {
    if (text.length() > LONGEST_TEXT) {
      throw new IllegalArgumentException(
          field + " must be at most " + LONGEST_TEXT + " characters, but was " + text.length());
    }
    return JobTexts.shortened(text, LONGEST_TEXT);
  }

  @Override
  public List<JobCount> counts() {
    return store.counts();
  }

  @Override
  public void pause(JobPause.Of of, String name, String by, String note) {
    store.pause(
        new JobPause(
            of,
            requireText("name", name),
            requireText("by", by),
            requireText("note", note),
            store.now()));
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    boolean resumed = store.resume(of, name);
    if (resumed) {
      store.notifyWorkers(Set.of());
    }
    return resumed;
  }

  @Override
  public List<JobPause> pauses() {
    return store.pauses();
  }

  @Override
  public void limit(JobLimit limit) {
    store.limit(requireNonNull(limit, "limit"));
    store.notifyWorkers(Set.of());
  }

  @Override
  public boolean removeLimit(JobLimit.Scope scope) {
    boolean removed = store.removeLimit(scope);
    if (removed) {
      store.notifyWorkers(Set.of());
    }
    return removed;
  }

  @Override
  public List<JobLimit> limits() {
    return store.limits();
  }

  @Override
  public void setTenantWeight(String tenant, int weight) {
    if (tenant.isEmpty() || weight < 1 || weight > 1_000) {
      throw new IllegalArgumentException(
          "weight must be between 1 and 1000, of a tenant that is named, but was "
              + weight
              + " of \""
              + tenant
              + "\"");
    }
    store.setTenantWeight(tenant, weight);
  }
}
