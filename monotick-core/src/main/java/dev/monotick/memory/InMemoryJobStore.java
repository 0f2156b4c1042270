package dev.monotick.memory;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.JobTransition;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobCount;
import dev.monotick.job.store.JobFilter;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStart;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.replica.ReplicaId;
import dev.monotick.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
 * JobTable}, what ends it in {@link JobEnds}, who gets it in {@link JobClaims}. Listeners are told
 * after the lock was let go.
 *
 * <p>What is due becomes so, and what has expired does, before anything else is done: nobody sees a
 * job that waits for a moment that is over once somebody asked for something.
 */
final class InMemoryJobStore implements JobStore {

  private final TimeSource time;
  private final InMemoryRegistry registry;
  private final Hints<Set<String>> ready = new Hints<>();
  private final Hints<Set<JobId>> ended = new Hints<>();

  private final Object lock = new Object();
  private final JobTable table; // guarded by lock, and so are the others
  private final JobIntake intake;
  private final JobEnds ends;
  private final JobClaims claims;
  private final JobRuns runs;
  private final Set<JobId> endedByOthers = new TreeSet<>();

  InMemoryJobStore(TimeSource time, InMemoryRegistry registry, int endedJobs) {
    this.time = time;
    this.registry = registry;
    this.table = new JobTable(endedJobs);
    this.intake = new JobIntake(table);
    this.ends = new JobEnds(table);
    this.claims = new JobClaims(table, registry::name);
    this.runs = new JobRuns(table);
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
  public List<Enqueued> enqueue(JobOrder order) {
    return change(now -> intake.enqueue(order, now));
  }

  @Override
  public void wake(Collection<String> queues) {
    ready.tell(Set.copyOf(queues));
  }

  @Override
  public void whenReady(ReadyListener listener) {
    ready.add(listener::ready);
  }

  @Override
  public void whenEnded(Consumer<Set<JobId>> listener) {
    ended.add(listener);
  }

  @Override
  public JobTurnReply turn(JobTurn turn) {
    return change(
        now -> {
          List<Boolean> finished = new ArrayList<>(turn.finishes().size());
          for (JobFinish finish : turn.finishes()) {
            finished.add(ends.finish(turn.replica(), finish, now));
          }
          catchUp(now); // what was retried or snoozed for no time is due already
          boolean mayClaim = turn.number() > 0 && registry.isAlive(turn.replica());
          List<ClaimedJob> jobs = mayClaim ? claims.claim(turn, now) : List.of();
          Optional<Duration> nextDue =
              Stream.of(table.times.untilNextDue(now), claims.untilRateAllows(turn, now))
                  .flatMap(Optional::stream)
                  .min(Duration::compareTo);
          return new JobTurnReply(
              finished,
              jobs,
              (mayClaim || turn.number() == 0) && claims.hasMore(turn, now),
              nextDue,
              mayClaim && claims.isUsed(turn));
        });
  }

  @Override
  public Set<JobRun> start(ReplicaId replica, List<JobRun> started, Instant at) {
    return change(now -> runs.start(replica, started, at));
  }

  @Override
  public Set<JobRun> note(ReplicaId replica, List<JobNote> notes) {
    return change(now -> runs.note(replica, notes));
  }

  @Override
  public int rescue() {
    return change(
        now -> {
          int seenTo = 0;
          for (ReplicaId replica : table.owners()) {
            if (!registry.keepsClaims(replica)) {
              boolean crashed = !registry.hasRejoined(replica);
              for (JobRow row : table.ownedBy(replica)) {
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
          ends.cancel(row, JobEnds.detail(by, reason), now);
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
          row.addLines(List.of(new JobNote.Line(now, "approved by " + JobEnds.detail(by, note))));
        });
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return step(
        id,
        row -> row.state == JobState.AWAITING_APPROVAL,
        (row, now) -> ends.reject(row, JobEnds.detail(by, note), now));
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
    return look(() -> table.find(id).map(row -> row.image(true)));
  }

  @Override
  public List<JobNote.Line> log(JobId id, int limit) {
    return look(() -> table.find(id).map(row -> row.lines(limit)).orElse(List.of()));
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return look(
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
    return look(
        () ->
            table.before(Optional.empty()).stream()
                .filter(row -> wanted.contains(row.id))
                .map(row -> row.image(false))
                .toList());
  }

  @Override
  public List<JobCount> counts() {
    return look(() -> table.lines().stream().map(JobLine::count).toList());
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
          tellAllReady();
          return was;
        });
  }

  @Override
  public List<JobPause> pauses() {
    return look(claims::pauses);
  }

  @Override
  public void limit(JobLimit limit) {
    change(
        now -> {
          table.limits.set(limit, table.running(), now);
          tellAllReady();
          return true;
        });
  }

  @Override
  public boolean unlimit(JobLimit.Scope scope) {
    return change(
        now -> {
          boolean was = table.limits.remove(scope);
          tellAllReady();
          return was;
        });
  }

  @Override
  public List<JobLimit> limits() {
    return look(table.limits::all);
  }

  @Override
  public void weigh(String tenant, int weight) {
    synchronized (lock) {
      claims.weigh(tenant, weight);
    }
  }

  private interface Step {
    void make(JobRow row, Instant now);
  }

  private boolean step(JobId id, Predicate<JobRow> can, Step step) {
    return change(
        now -> {
          Optional<JobRow> row = table.find(id).filter(can);
          row.ifPresent(found -> step.make(found, now));
          return row.isPresent();
        });
  }

  private List<JobId> each(List<JobId> ids, BiPredicate<JobRow, Instant> step) {
    return change(
        now ->
            ids.stream()
                .distinct()
                .sorted()
                .filter(id -> table.find(id).filter(row -> step.test(row, now)).isPresent())
                .toList());
  }

  private <T> T look(Supplier<T> look) {
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
      ready.tell(queues);
    }
    if (!jobs.isEmpty()) {
      ended.tell(jobs);
    }
    return reply;
  }

  private void catchUp(Instant now) {
    ends.expire(table.times.expiredBy(now), now);
    for (JobRow row : table.times.dueBy(now)) {
      Instant dueAt = requireNonNull(row.dueAt);
      table.move(row, JobTransition.BECOME_DUE, JobState.READY, now);
      row.readyAt = dueAt; // it waits since then, whenever that was noticed
    }
  }

  private void tellAllReady() {
    table.lines().forEach(line -> table.tellReady(line.lane.queue()));
  }
}
