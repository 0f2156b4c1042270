package dev.monotick.memory;

import dev.monotick.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Which jobs wait for a moment: to run, or to expire. Guarded by the store's lock. */
final class JobTimes {

  private record Moment(Instant at, MemoryJob row) {}

  private static final Comparator<Moment> EARLIEST =
      Comparator.comparing(Moment::at).thenComparing(moment -> moment.row().id);

  private final TreeSet<Moment> due = new TreeSet<>(EARLIEST);
  private final TreeSet<Moment> expiring = new TreeSet<>(EARLIEST);

  /** To be called after a job came to a state, with its times as they are in it. */
  void add(MemoryJob row) {
    Instant dueAt = row.dueAt;
    if (dueAt != null && isTimed(row)) {
      due.add(new Moment(dueAt, row));
    }
    Instant expiresAt = row.expiresAt();
    if (expiresAt != null && row.state != JobState.RUNNING && !row.state.isTerminal()) {
      expiring.add(new Moment(expiresAt, row));
    }
  }

  /** To be called before a job leaves its state, with its times as they were. */
  void remove(MemoryJob row) {
    Instant dueAt = row.dueAt;
    if (dueAt != null) {
      due.remove(new Moment(dueAt, row));
    }
    Instant expiresAt = row.expiresAt();
    if (expiresAt != null) {
      expiring.remove(new Moment(expiresAt, row));
    }
  }

  /** Says whether it waits for nothing but its time. */
  static boolean isTimed(MemoryJob row) {
    return row.dueAt != null
        && (row.state == JobState.RETRYING
            || (row.state == JobState.SCHEDULED && row.pending == 0));
  }

  List<MemoryJob> dueBy(Instant now) {
    return by(due, now);
  }

  List<MemoryJob> expiredBy(Instant now) {
    return by(expiring, now);
  }

  Optional<Duration> untilNextDue(Instant now) {
    return due.isEmpty() ? Optional.empty() : Optional.of(Duration.between(now, due.first().at()));
  }

  private static List<MemoryJob> by(SortedSet<Moment> moments, Instant now) {
    List<MemoryJob> rows = new ArrayList<>();
    for (Moment moment : moments) {
      if (moment.at().isAfter(now)) {
        break;
      }
      rows.add(moment.row());
    }
    return rows;
  }
}
