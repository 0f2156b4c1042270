package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobLimit.Rate;
import dev.monotick.job.JobLimit.Scope;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.testkit.contract.DraftBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** One run of random demands on one store; everything follows from the seed. */
final class JobChaos {

  private static final int WORKERS = 4;
  private static final List<String> KINDS = List.of("k0", "k1", "k2");

  private final Random random;
  private final FakeTime time = new FakeTime();
  private final InMemoryStore store =
      InMemoryStore.builder().time(time.timeSource()).endedJobs(1_000_000).build();
  private final JobStore jobs = store.jobs();
  private final JobChaosChecks checks = new JobChaosChecks(jobs);
  private final List<JobChaosWorker> workers = new ArrayList<>();
  private final List<JobChaosWorker> zombies = new ArrayList<>();
  private final List<JobChaosWorker> everybody = new ArrayList<>();
  private final List<JobId> ids = new ArrayList<>();

  JobChaos(long seed) {
    random = new Random(seed);
    for (int i = 0; i < WORKERS; i++) {
      workers.add(newWorker());
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      checks.check();
    }
    drain();
    checks.check();
  }

  Map<Outcome, Long> outcomes() {
    return checks.outcomes();
  }

  long refused() {
    return everybody.stream().mapToLong(worker -> worker.refused).sum();
  }

  long repeated() {
    return everybody.stream().mapToLong(worker -> worker.repeated).sum();
  }

  long timesAtALimit() {
    return checks.timesAtALimit;
  }

  private void step() {
    workers.forEach(worker -> store.replicas().heartbeat(worker.id));
    int dice = random.nextInt(100);
    if (dice < 20) {
      enqueue();
    } else if (dice < 62) {
      pick(workers).turn(kinds(), random.nextInt(8));
    } else if (dice < 66 && !zombies.isEmpty()) {
      pick(zombies).turn(kinds(), random.nextInt(4));
    } else if (dice < 71) {
      breakOrHeal();
    } else if (dice < 74) {
      die();
    } else if (dice < 78) {
      jobs.rescue();
    } else if (dice < 84) {
      time.advance(Duration.ofMillis(random.nextInt(900)));
    } else if (dice < 86) {
      pick(workers).note();
    } else if (dice < 95) {
      decide();
    } else {
      administer();
    }
  }

  private void enqueue() {
    List<JobDraft> drafts = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      drafts.add(wish().draft());
    }
    Follow follow = pick(List.of(Follow.values()));
    EnqueueRequest order = new EnqueueRequest(drafts, follow, Optional.empty(), Optional.empty());
    for (Enqueued reply : jobs.enqueue(order)) {
      if (reply.isNew()) {
        checks.added(reply.id());
        ids.add(reply.id());
      } else {
        assertThat(jobs.find(reply.id()).orElseThrow().state().isTerminal()).isFalse();
      }
    }
  }

  private DraftBuilder wish() {
    DraftBuilder wish =
        DraftBuilder.aJob()
            .queue("q" + random.nextInt(2))
            .kind("k" + random.nextInt(3))
            .tenant(random.nextBoolean() ? "" : "t" + random.nextInt(2))
            .priority(random.nextInt(10))
            .maxAttempts(1 + random.nextInt(3));
    if (random.nextInt(4) == 0) {
      wish.unique("u" + random.nextInt(4));
    }
    if (random.nextInt(3) == 0) {
      wish.limitKey("l" + random.nextInt(3));
    }
    if (random.nextInt(5) == 0) {
      wish.after(Duration.ofSeconds(random.nextInt(20)));
    }
    if (random.nextInt(8) == 0) {
      wish.deadline(time.now().plusSeconds(random.nextInt(60)));
    }
    if (random.nextInt(8) == 0) {
      wish.approval(Duration.ofSeconds(1 + random.nextInt(60)));
    }
    return random.nextInt(5) == 0 ? wish.atMostOnce() : wish;
  }

  private void breakOrHeal() {
    JobChaosWorker worker = pick(random.nextInt(4) == 0 && !zombies.isEmpty() ? zombies : workers);
    switch (random.nextInt(4)) {
      case 0 -> worker.link.cut();
      case 1 -> worker.link.loseReplies();
      default -> worker.link.heal();
    }
  }

  /** A replica leaves, or falls silent; in both cases it may go on as a zombie. */
  private void die() {
    JobChaosWorker dead = workers.remove(random.nextInt(workers.size()));
    if (random.nextBoolean()) {
      store.replicas().leave(dead.id);
    }
    zombies.add(dead);
    if (zombies.size() > 3) {
      zombies.remove(0);
    }
    workers.add(newWorker());
  }

  private void decide() {
    if (ids.isEmpty()) {
      return;
    }
    JobId id = ids.get(random.nextInt(ids.size()));
    switch (random.nextInt(7)) {
      case 0 -> jobs.cancel(id, "ann", "no");
      case 1 -> jobs.approve(id, "ann", "");
      case 2 -> jobs.reject(id, "ann", "");
      case 3 -> jobs.reschedule(id, time.now().plusSeconds(random.nextInt(20)));
      case 4 -> {
        Optional<Job> before = jobs.find(id);
        if (!jobs.purge(List.of(id)).isEmpty()) {
          checks.purged(before.orElseThrow());
          ids.remove(id);
        }
      }
      default -> jobs.requeue(List.of(id, pick(ids)), "ann");
    }
  }

  private void administer() {
    Scope scope =
        switch (random.nextInt(4)) {
          case 0 -> new Scope("k0", "", false);
          case 1 -> new Scope("", Scope.EACH, false);
          case 2 -> new Scope("k1", "", true);
          default -> new Scope("k2", "t1", false);
        };
    Optional<Rate> rate =
        scope.perKey() || random.nextBoolean()
            ? Optional.empty()
            : Optional.of(new Rate(1 + random.nextInt(5), Duration.ofSeconds(1)));
    String kind = pick(KINDS);
    switch (random.nextInt(6)) {
      case 0, 1 -> jobs.limit(new JobLimit(scope, Optional.of(1 + random.nextInt(3)), rate));
      case 2 -> jobs.removeLimit(scope);
      case 3 -> jobs.pause(new JobPause(JobPause.Of.KIND, kind, "ann", "", time.now()));
      case 4 -> jobs.resume(JobPause.Of.KIND, kind);
      default -> jobs.setTenantWeight("t0", 1 + random.nextInt(5));
    }
  }

  /** Takes all hindrances away: then every job must come to its end. */
  private void drain() {
    jobs.limits().forEach(limit -> jobs.removeLimit(limit.scope()));
    jobs.pauses().forEach(pause -> jobs.resume(pause.of(), pause.name()));
    everybody.forEach(worker -> worker.link.heal());
    for (int i = 0; i < 1_000 && !isOver(); i++) {
      ids.forEach(id -> jobs.approve(id, "ann", ""));
      workers.forEach(worker -> store.replicas().heartbeat(worker.id));
      time.advance(Duration.ofSeconds(1));
      jobs.rescue();
      workers.forEach(worker -> worker.turn(Set.copyOf(KINDS), 50));
    }
    assertThat(checks.all()).allMatch(job -> job.state().isTerminal());
    assertThat(jobs.list(JobFilter.in(JobState.RUNNING), 1)).isEmpty();
  }

  private boolean isOver() {
    return checks.all().stream().allMatch(job -> job.state().isTerminal());
  }

  private JobChaosWorker newWorker() {
    JobChaosWorker worker = new JobChaosWorker(store, random, checks);
    everybody.add(worker);
    return worker;
  }

  private Set<String> kinds() {
    return random.nextInt(4) == 0 ? Set.of("k" + random.nextInt(3)) : Set.copyOf(KINDS);
  }

  private <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
