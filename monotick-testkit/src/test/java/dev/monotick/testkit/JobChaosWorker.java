package dev.monotick.testkit;

import dev.monotick.error.StoreException;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.End;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Lost;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.Completion.Snoozed;
import dev.monotick.spi.job.Completion.Succeeded;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.testkit.contract.StoreExchange;
import dev.monotick.testkit.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A replica in a {@link JobChaos}: takes jobs, ends them at random, and does not always hear back.
 */
final class JobChaosWorker {

  final MemberId id;
  final FaultyStore link;

  private final Random random;
  private final JobChaosChecks checks;
  private final List<ClaimedJob> held = new ArrayList<>();
  private @Nullable StoreExchange unsure;
  private long number;
  long notesLost;
  long refused;
  long repeated;

  JobChaosWorker(InMemoryStore store, Random random, JobChaosChecks checks) {
    this.link = FaultyStore.to(store);
    this.random = random;
    this.id = new MemberId(new UUID(random.nextLong(), random.nextLong()));
    this.checks = checks;
    store.replicas().join(new MemberInfo(id, "host-" + id, FakeTime.START, Set.of()), false);
  }

  /** Sends a new turn, or the last one again if its reply did not come. */
  void turn(Set<String> kinds, int most) {
    StoreExchange turn = unsure;
    if (turn == null) {
      List<Completion> finishes = new ArrayList<>();
      for (ClaimedJob job : held) {
        if (random.nextInt(3) > 0) {
          finishes.add(new Completion(job, end(), FakeTime.START, Duration.ofMillis(3)));
        }
      }
      turn = new StoreExchange(id, ++number, finishes, most, kinds, Set.of());
    } else {
      repeated++;
    }
    try {
      heard(turn, turn.with(link.jobs()));
      unsure = null;
    } catch (StoreException e) {
      unsure = turn;
    }
  }

  void note() {
    note(held);
  }

  private void note(List<ClaimedJob> jobs) {
    List<RunProgress> notes = new ArrayList<>();
    jobs.forEach(job -> notes.add(new RunProgress(job.run(), FakeTime.START, 0.5, "x", List.of())));
    try {
      Set<JobRun> lost = link.jobs().note(id, notes);
      if (unsure == null) {
        held.removeIf(job -> lost.contains(job.run()));
      }
    } catch (StoreException e) {
      notesLost++;
    }
  }

  private void begin(List<ClaimedJob> jobs) {
    List<JobRun> runs = jobs.stream().map(ClaimedJob::run).toList();
    try {
      Set<JobRun> begin = link.jobs().start(id, runs, FakeTime.START);
      if (unsure == null) {
        held.removeIf(job -> runs.contains(job.run()) && !begin.contains(job.run()));
      }
    } catch (StoreException e) {
      notesLost++;
    }
  }

  private void heard(StoreExchange turn, StoreExchange.Reply reply) {
    for (int i = 0; i < turn.finishes().size(); i++) {
      Completion finish = turn.finishes().get(i);
      held.remove(finish.job());
      if (reply.finished().get(i)) {
        checks.accepted(id, finish);
      } else {
        refused++;
      }
    }
    for (ClaimedJob job : reply.jobs()) {
      checks.claimed(id, job);
      held.add(job);
    }
    if (random.nextBoolean()) {
      begin(held.stream().filter(ClaimedJob::needsStart).toList());
    }
  }

  private End end() {
    int dice = random.nextInt(100);
    if (dice < 45) {
      return new Succeeded(null);
    } else if (dice < 65) {
      return new Retried("no", Duration.ofSeconds(random.nextInt(40)));
    } else if (dice < 73) {
      return new Snoozed(Duration.ofSeconds(random.nextInt(40)));
    } else if (dice < 80) {
      return new Died("no");
    } else if (dice < 84) {
      return new Discarded("no");
    } else if (dice < 86) {
      return new Lost("stopped");
    }
    return new HandedBack();
  }
}
