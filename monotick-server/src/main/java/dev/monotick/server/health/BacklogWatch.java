package dev.monotick.server.health;

import dev.monotick.job.JobCount;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.job.view.QueueHealth;
import dev.monotick.spi.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
   * @param unhandled how many jobs wait of each kind that no live replica handles
   */
  record Seen(
      List<JobCount> counts, QueueHealth.Report report, long at, Map<String, Long> unhandled) {

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

  Seen poll() {
    List<JobCount> counts = jobs.counts();
    Seen seen = new Seen(counts, store.jobHealth(), time.nanos(), unhandled(counts));
    last = Optional.of(seen);
    return seen;
  }

  /** Asks for replicas after the jobs were counted, so that who added one is among them. */
  private Map<String, Long> unhandled(List<JobCount> counts) {
    Map<String, Long> waiting = new TreeMap<>();
    for (JobCount each : counts) {
      long jobs = each.waiting() + each.ready();
      if (jobs > 0) {
        waiting.merge(each.lane().kind(), jobs, Long::sum);
      }
    }
    if (!waiting.isEmpty()) {
      store
          .replicas()
          .live()
          .forEach(replica -> waiting.keySet().removeAll(replica.config().kinds()));
    }
    return waiting;
  }

  /** Returns what was seen last; empty before the first look. */
  Optional<Seen> last() {
    return last;
  }
}
