package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.End;
import dev.monotick.spi.job.Completion.Succeeded;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the suites of the job store share: three replicas, and short words for what they do. After
 * each test all of its jobs are looked at: each must hold together in itself, and together they
 * must be as many as the store counts.
 *
 * <p>Where a server owns the clock, time costs time. So delays that must not end during a test are
 * hours, those that must are tenths of a second, and a replica that is to be gone leaves.
 */
abstract class JobStoreContract extends StoreContract {

  static final String OTHER_KIND = "scan";
  static final Set<String> KINDS = Set.of(DraftBuilder.KIND, OTHER_KIND);
  static final Duration HOUR = Duration.ofHours(1);
  static final Duration SHORT = Duration.ofMillis(200);

  final MemberId a = MemberId.random();
  final MemberId b = MemberId.random();
  final MemberId c = MemberId.random();

  private static final int MOST_FOUND = 150;

  private final AtomicLong exchanges = new AtomicLong();
  private final List<JobId> known = new CopyOnWriteArrayList<>();
  private final List<Job> purged = new CopyOnWriteArrayList<>();

  JobStoreContract() {}

  @BeforeEach
  final void joinReplicas() {
    join(a, b, c);
  }

  @AfterEach
  final void countsAreWhatFindShows() {
    JobCounter counter = new JobCounter();
    if (known.size() <= MOST_FOUND) {
      known.forEach(id -> jobs().find(id).ifPresent(counter::add));
    } else { // looked at together; tests with so many jobs end none of them
      JobFilter all =
          new JobFilter(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      jobs().list(all, known.size() + 1).forEach(counter::addListed);
    }
    purged.forEach(counter::addForgotten);
    counter.compareWith(jobs().counts());
  }

  final void join(MemberId... members) {
    for (MemberId id : members) {
      replicas().join(new MemberInfo(id, nameOf(id), jobs().now(), KINDS), false);
    }
  }

  /** Joins again as the process of that replica; returns its new id. */
  final MemberId rejoin(MemberId former) {
    MemberId again = former.successor();
    MemberInfo info = new MemberInfo(again, nameOf(former), jobs().now(), KINDS);
    assertThat(replicas().join(info, false, Set.of(former))).isTrue();
    return again;
  }

  static String nameOf(MemberId replica) {
    return "host-" + replica;
  }

  /** Has a replica be gone at once, and its jobs seen to. */
  final int loseAndRescue(MemberId replica) {
    replicas().leave(replica);
    return jobs().rescue();
  }

  final List<Enqueued> enqueue(EnqueueRequest order) {
    List<Enqueued> replies = jobs().enqueue(order);
    replies.stream().filter(Enqueued::isNew).map(Enqueued::id).forEach(known::add);
    return replies;
  }

  /** Adds jobs in one order and returns them; all must be new. */
  final List<JobId> enqueueAll(Follow follow, DraftBuilder... wishes) {
    List<Enqueued> replies =
        enqueue(
            new EnqueueRequest(
                Arrays.stream(wishes).map(DraftBuilder::draft).toList(),
                follow,
                Optional.empty(),
                Optional.empty()));
    assertThat(replies).hasSize(wishes.length).allMatch(Enqueued::isNew);
    return replies.stream().map(Enqueued::id).toList();
  }

  final JobId enqueue(DraftBuilder wish) {
    return enqueueAll(Follow.NONE, wish).get(0);
  }

  /** Adds as many of the same, in one order. */
  final List<JobId> enqueue(int count, DraftBuilder wish) {
    DraftBuilder[] wishes = new DraftBuilder[count];
    Arrays.fill(wishes, wish);
    return enqueueAll(Follow.NONE, wishes);
  }

  final StoreExchange newExchange(
      MemberId replica, int most, Set<String> kinds, Completion... finishes) {
    long number = most == 0 ? 0 : exchanges.incrementAndGet();
    return new StoreExchange(replica, number, List.of(finishes), most, kinds, Set.of());
  }

  final StoreExchange.Reply exchange(MemberId replica, int most, Completion... finishes) {
    return newExchange(replica, most, KINDS, finishes).with(jobs());
  }

  final List<ClaimedJob> claim(MemberId replica, int most) {
    return exchange(replica, most).jobs();
  }

  final ClaimedJob claimOne(MemberId replica) {
    return claimOne(replica, KINDS);
  }

  final ClaimedJob claimOne(MemberId replica, Set<String> kinds) {
    List<ClaimedJob> claimed = newExchange(replica, 1, kinds).with(jobs()).jobs();
    assertThat(claimed).as("claimed").hasSize(1);
    return claimed.get(0);
  }

  /** Records that a handler begins. */
  final Instant begin(MemberId replica, ClaimedJob job) {
    Instant at = jobs().now();
    assertThat(jobs().start(replica, List.of(job.run()), at))
        .as("runs that may begin")
        .containsExactly(job.run());
    return at;
  }

  /** Makes due what is, and expires what has, but claims nothing. */
  final StoreExchange.Reply makeDue() {
    return newExchange(c, 1, Set.of("unheard-of")).with(jobs());
  }

  final Completion ended(ClaimedJob job, End end) {
    return new Completion(job, end, jobs().now(), Duration.ofMillis(7));
  }

  final boolean complete(MemberId replica, ClaimedJob job, End end) {
    StoreExchange.Reply reply = exchange(replica, 0, ended(job, end));
    assertThat(reply.finished()).hasSize(1);
    assertThat(reply.jobs()).isEmpty();
    return reply.finished().get(0);
  }

  static End success() {
    return new Succeeded(null);
  }

  final void succeed(MemberId replica, ClaimedJob job) {
    assertThat(complete(replica, job, success())).as("success counts").isTrue();
  }

  final Job job(JobId id) {
    return jobs().find(id).orElseThrow(() -> new AssertionError("job " + id + " is not known"));
  }

  final JobState state(JobId id) {
    return job(id).state();
  }

  final List<JobState> states(List<JobId> ids) {
    List<JobState> states = new ArrayList<>();
    ids.forEach(id -> states.add(state(id)));
    return states;
  }

  static List<JobId> ids(List<ClaimedJob> jobs) {
    return jobs.stream().map(ClaimedJob::id).toList();
  }

  final List<JobId> purge(JobId... ids) {
    List<Job> before = new ArrayList<>();
    Arrays.asList(ids).forEach(id -> jobs().find(id).ifPresent(before::add));
    List<JobId> gone = jobs().purge(Arrays.asList(ids));
    before.stream().filter(job -> gone.contains(job.id())).forEach(purged::add);
    return gone;
  }

  /** Looks around until the job is there, for stores that see to expiry now and then only. */
  final void expectSoon(JobId id, JobState state) {
    for (int i = 0; i < 30 && state(id) != state; i++) {
      makeDue();
      if (state(id) != state) {
        letTimePass(Duration.ofMillis(100));
      }
    }
    assertThat(state(id)).isEqualTo(state);
  }

  final Instant longAgo() {
    return jobs().now().minus(HOUR);
  }

  static Lane lane(String queue, String kind, String tenant, int priority) {
    return new Lane(queue, kind, tenant, priority);
  }
}
