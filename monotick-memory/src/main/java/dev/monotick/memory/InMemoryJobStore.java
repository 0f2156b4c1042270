package dev.monotick.memory;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobStart;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobSignals;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.JobTransition;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The jobs of an {@link InMemoryStore}. One lock guards them all; what moves a job is in {@link
 * JobTable}, what ends it in {@link MemoryCompletions}, who gets it in {@link MemoryClaims}.
 * Listeners are told after the lock was let go.
 *
 * <p>What is due becomes so, and what has expired does, before anything else is done: nobody sees a
 * job that waits for a moment that is over once somebody asked for something.
 */
final class InMemoryJobStore implements JobStore {

  private final TimeSource time;
  private final InMemoryRegistry registry;
  private final MemorySignals<Set<String>> ready = new MemorySignals<>();
  private final MemorySignals<Set<JobId>> ended = new MemorySignals<>();

  private final Object lock = new Object();
  private final JobTable table; // guarded by lock, and so are the others
  private final JobIntake intake;
  private final MemoryCompletions ends;
  private final MemoryClaims claims;
  private final RunTable runs;
  private final Set<JobId> endedByOthers = new TreeSet<>();

  InMemoryJobStore(TimeSource time, InMemoryRegistry registry, int endedJobs) {
    this.time = time;
    this.registry = registry;
    this.table = new JobTable(endedJobs);
    this.intake = new JobIntake(table);
    this.ends = new MemoryCompletions(table);
    this.claims = new MemoryClaims(table, registry::name);
    this.runs = new RunTable(table);
  }

  @Override
  public Instant now() {
    return time.now();
  }

  @Override
  public boolean isImmediate() {
    return true;
  }

  @Override
  public List<Enqueued> enqueue(EnqueueRequest order) {
    return change(now -> intake.enqueue(order, now));
  }

  @Override
  public void notifyWorkers(Collection<String> queues) {
    ready.publish(Set.copyOf(queues));
  }

  @Override
  public void onReady(JobSignals listener) {
    ready.add(listener::ready);
  }

  @Override
  public void onEnded(Consumer<Set<JobId>> listener) {
    ended.add(listener);
  }

  @Override
  public ClaimReply claim(ClaimRequest request) {
    return change(
        now -> {
          boolean mayClaim = registry.isAlive(request.member());
          List<ClaimedJob> jobs = mayClaim ? claims.claim(request, now) : List.of();
          Optional<Duration> nextDue =
              Stream.of(table.times.untilNextDue(now), claims.untilRateAllows(request, now))
                  .flatMap(Optional::stream)
                  .min(Duration::compareTo);
          return new ClaimReply(
              jobs,
              mayClaim && claims.hasMore(request, now),
              nextDue,
              mayClaim && claims.isUsed(request));
        });
  }

  @Override
  public List<Boolean> complete(List<Completion> completions) {
    return change(
        now ->
            completions.stream().map(each -> ends.finish(each.job().owner(), each, now)).toList());
  }

  @Override
  public Set<JobRun> start(MemberId replica, List<JobRun> started, Instant at) {
    return change(now -> runs.start(replica, started, at));
  }

  @Override
  public Set<JobRun> note(MemberId replica, List<RunProgress> notes) {
    return change(now -> runs.note(replica, notes));
  }

  @Override
  public int rescue() {
    return change(
        now -> {
          int seenTo = 0;
          for (MemberId replica : table.owners()) {
            if (!registry.keepsClaims(replica)) {
              boolean crashed = !registry.hasRejoined(replica);
              for (MemoryJob row : table.ownedBy(replica)) {
                ends.rescue(row, crashed, now);
                endedByOthers.add(row.id);
                seenTo++;
              }
            }
          }
          claims.forget(replica -> !registry.isAlive(replica));
          return seenTo;
        });
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    return step(
        id,
        row -> !row.state.isTerminal(),
        (row, now) -> {
          if (row.state == JobState.RUNNING) {
            endedByOthers.add(id);
          }
          ends.cancel(row, MemoryCompletions.detail(by, reason), now);
        });
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    return step(
        id,
        row -> row.state == JobState.AWAITING_APPROVAL,
        (row, now) -> {
          Instant dueAt = row.dueAt;
          boolean mayRun = row.pending == 0 && (dueAt == null || !dueAt.isAfter(now));
          JobState to = mayRun ? JobState.READY : JobState.SCHEDULED;
          table.move(row, JobTransition.APPROVE, to, now, mayRun ? null : dueAt);
          row.addLines(
              List.of(new Job.LogLine(now, "approved by " + MemoryCompletions.detail(by, note))));
        });
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return step(
        id,
        row -> row.state == JobState.AWAITING_APPROVAL,
        (row, now) -> ends.reject(row, MemoryCompletions.detail(by, note), now));
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    JobStart.requireMoment("at", at);
    return step(
        id,
        row -> row.state == JobState.SCHEDULED || row.state == JobState.RETRYING,
        (row, now) -> table.move(row, JobTransition.RESCHEDULE, row.state, now, at));
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    return each(
        ids,
        (row, now) -> {
          boolean can =
              row.state.isTerminal()
                  && row.state != JobState.SUCCEEDED
                  && table.keys.holderOtherThan(row, now).isEmpty();
          if (can) {
            ends.requeue(row, by, now);
          }
          return can;
        });
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    return each(
        ids,
        (row, now) -> {
          boolean isDead = row.state == JobState.DEAD;
          if (isDead) {
            table.remove(row);
          }
          return isDead;
        });
  }

  @Override
  public Optional<Job> find(JobId id) {
    return read(() -> table.find(id).map(row -> row.image(true)));
  }

  @Override
  public List<Job.LogLine> log(JobId id, int limit) {
    return read(() -> table.find(id).map(row -> row.lines(limit)).orElse(List.of()));
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return read(
        () ->
            table.before(filter.before()).stream()
                .filter(row -> filter.state().map(row.state::equals).orElse(true))
                .filter(row -> filter.queue().map(row.lane().queue()::equals).orElse(true))
                .filter(row -> filter.kind().map(row.lane().kind()::equals).orElse(true))
                .filter(row -> filter.tenant().map(row.lane().tenant()::equals).orElse(true))
                .limit(limit)
                .map(row -> row.image(false))
                .toList());
  }

  @Override
  public List<Job> list(List<JobId> ids) {
    Set<JobId> wanted = Set.copyOf(ids);
    return read(
        () ->
            table.before(Optional.empty()).stream()
                .filter(row -> wanted.contains(row.id))
                .map(row -> row.image(false))
                .toList());
  }

  @Override
  public List<JobCount> counts() {
    return read(() -> table.lines().stream().map(LaneQueue::count).toList());
  }

  @Override
  public void pause(JobPause pause) {
    synchronized (lock) {
      claims.pause(pause);
    }
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    return change(
        now -> {
          boolean was = claims.resume(of, name);
          notifyAllReady();
          return was;
        });
  }

  @Override
  public List<JobPause> pauses() {
    return read(claims::pauses);
  }

  @Override
  public void limit(JobLimit limit) {
    change(
        now -> {
          table.limits.set(limit, table.running(), now);
          notifyAllReady();
          return true;
        });
  }

  @Override
  public boolean removeLimit(JobLimit.Scope scope) {
    return change(
        now -> {
          boolean was = table.limits.remove(scope);
          notifyAllReady();
          return was;
        });
  }

  @Override
  public List<JobLimit> limits() {
    return read(table.limits::all);
  }

  @Override
  public void setTenantWeight(String tenant, int weight) {
    synchronized (lock) {
      claims.setTenantWeight(tenant, weight);
    }
  }

  private interface Step {
    void make(MemoryJob row, Instant now);
  }

  private boolean step(JobId id, Predicate<MemoryJob> can, Step step) {
    return change(
        now -> {
          Optional<MemoryJob> row = table.find(id).filter(can);
          row.ifPresent(found -> step.make(found, now));
          return row.isPresent();
        });
  }

  private List<JobId> each(List<JobId> ids, BiPredicate<MemoryJob, Instant> step) {
    return change(
        now ->
            ids.stream()
                .distinct()
                .sorted()
                .filter(id -> table.find(id).filter(row -> step.test(row, now)).isPresent())
                .toList());
  }

  private <T> T read(Supplier<T> look) {
    synchronized (lock) {
      return look.get();
    }
  }

  private <T> T change(Function<Instant, T> change) {
    T reply;
    Set<String> queues;
    Set<JobId> jobs;
    synchronized (lock) {
      Instant now = time.now();
      catchUp(now);
      reply = change.apply(now);
      queues = table.takeReadied();
      jobs = Set.copyOf(endedByOthers);
      endedByOthers.clear();
    }
    if (!queues.isEmpty()) {
      ready.publish(queues);
    }
    if (!jobs.isEmpty()) {
      ended.publish(jobs);
    }
    return reply;
  }

  private void catchUp(Instant now) {
    ends.expire(table.times.expiredBy(now), now);
    for (MemoryJob row : table.times.dueBy(now)) {
      Instant dueAt = requireNonNull(row.dueAt);
      table.move(row, JobTransition.BECOME_DUE, JobState.READY, now);
      row.readyAt = dueAt; // it waits since then, whenever that was noticed
    }
  }

  private void notifyAllReady() {
    table.lines().forEach(line -> table.notifyReady(line.lane.queue()));
  }
}
