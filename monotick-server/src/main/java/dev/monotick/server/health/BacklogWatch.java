package dev.monotick.server.health;

import dev.monotick.job.Jobs;
import dev.monotick.job.store.JobCount;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.job.JobHealth;
import dev.monotick.time.TimeSource;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Watches how many jobs there are and how long they wait. */
@Component
class BacklogWatch {

  private final Jobs jobs;
  private final PostgresStore store;
  private final TimeSource time;
  private volatile Optional<Seen> last = Optional.empty();

  /**
   * What was seen.
   *
   * @param counts jobs by lane
   * @param report who and what slows them down
   * @param at when, on this replica's ticker
   */
  record Seen(List<JobCount> counts, JobHealth.Report report, long at) {

    long ready() {
      return counts.stream().mapToLong(JobCount::ready).sum();
    }

    long running() {
      return counts.stream().mapToLong(JobCount::running).sum();
    }
  }

  BacklogWatch(Jobs jobs, PostgresStore store, TimeSource time) {
    this.time = time;
    this.jobs = jobs;
    this.store = store;
  }

  Seen look() {
    Seen seen = new Seen(jobs.counts(), store.jobHealth(), time.nanos());
    last = Optional.of(seen);
    return seen;
  }

  /** Returns what was seen last; empty before the first look. */
  Optional<Seen> last() {
    return last;
  }
}
