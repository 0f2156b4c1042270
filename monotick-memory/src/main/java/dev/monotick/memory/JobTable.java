package dev.monotick.memory;

import static java.util.stream.Collectors.toCollection;

import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.JobTransition;
import dev.monotick.spi.replica.MemberId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All jobs, each in one state, and what follows from the state: where a job stands in line, which
 * moment it waits for, who has it, how often it is counted. Guarded by the store's lock.
 *
 * <p>Jobs that ended are kept up to a number, the latest ones; dead letters until they are purged.
 */
final class JobTable {

  final MemoryLimits limits = new MemoryLimits();
  final JobTimes times = new JobTimes();
  final JobKeys keys = new JobKeys();

  private final int endedJobs;
  private final TreeMap<Long, MemoryJob> rows = new TreeMap<>();
  private final Map<Lane, LaneQueue> lines = new LinkedHashMap<>();
  private final Map<MemberId, Set<MemoryJob>> owned = new HashMap<>();
  private final Set<MemoryJob> ended = new LinkedHashSet<>();
  private final Set<String> readied = new TreeSet<>();
  private boolean roomMade;
  private long lastId;

  JobTable(int endedJobs) {
    this.endedJobs = endedJobs;
  }

  JobId newId() {
    return new JobId(++lastId);
  }

  LaneQueue line(Lane lane) {
    return lines.computeIfAbsent(lane, fresh -> new LaneQueue(lines.size(), fresh));
  }

  Collection<LaneQueue> lines() {
    return lines.values();
  }

  Optional<MemoryJob> find(JobId id) {
    return Optional.ofNullable(rows.get(id.value()));
  }

  /** Returns all with a lesser id, youngest first. */
  Collection<MemoryJob> before(Optional<JobId> id) {
    return id.map(most -> rows.headMap(most.value(), false).descendingMap())
        .orElseGet(rows::descendingMap)
        .values();
  }

  /** Returns those who have jobs. */
  List<MemberId> owners() {
    return List.copyOf(owned.keySet());
  }

  Collection<MemoryJob> ownedBy(MemberId replica) {
    return List.copyOf(owned.getOrDefault(replica, Set.of()));
  }

  Collection<MemoryJob> running() {
    return owned.values().stream().flatMap(Set::stream).collect(toCollection(LinkedHashSet::new));
  }

  /** Adds a new job, at the end of its line if it is ready. */
  void add(MemoryJob row, JobState state, Instant now) {
    rows.put(row.id.value(), row);
    row.state = state;
    row.line.enters(state);
    if (state == JobState.READY) {
      row.line.addLast(row);
      readied.add(row.lane().queue());
    }
    approve(row, now);
    times.add(row);
  }

  /** Moves a job that waits for no moment, or for the one it waited for before. */
  void move(MemoryJob row, JobTransition step, JobState to, Instant now) {
    move(row, step, to, now, null);
  }

  /**
   * Moves a job.
   *
   * @param dueAt the moment from which on it may run; null for at once
   * @throws IllegalStateException if there is no such step: a defect of this store
   */
  void move(MemoryJob row, JobTransition step, JobState to, Instant now, @Nullable Instant dueAt) {
    if (!step.leads(row.state, to)) {
      throw new IllegalStateException(
          "job " + row.id + " cannot " + step + " from " + row.state + " to " + to);
    }
    leave(row);
    row.line.leaves(row.state);
    row.line.enters(to);
    row.state = to;
    row.dueAt = dueAt;
    enter(row, now);
  }

  /** To be called when one less is before a job: it may be due now, or wait for its time only. */
  void becomeDueIfNothingIsBefore(MemoryJob row, Instant now) {
    if (row.state == JobState.SCHEDULED && row.pending == 0) {
      if (row.dueAt == null || !row.dueAt.isAfter(now)) {
        move(row, JobTransition.BECOME_DUE, JobState.READY, now);
      } else {
        times.add(row);
      }
    }
  }

  /** Forgets a job for good. */
  void remove(MemoryJob row) {
    leave(row);
    keys.forget(row);
    row.line.leaves(row.state);
    rows.remove(row.id.value());
  }

  /** Has jobs stand in line again whose key has room by now. */
  void unblock() {
    if (roomMade) {
      roomMade = false;
      limits.unblock();
    }
  }

  /** Says which queues have got ready jobs since this was last asked, and still have. */
  Set<String> takeReadied() {
    unblock();
    Set<String> queues = new TreeSet<>();
    if (!readied.isEmpty()) {
      for (LaneQueue line : lines.values()) {
        if (line.size() > 0 && readied.contains(line.lane.queue())) {
          queues.add(line.lane.queue());
        }
      }
      readied.clear();
    }
    return queues;
  }

  /** Has the listeners told of a queue whose jobs may be taken now. */
  void notifyReady(String queue) {
    readied.add(queue);
  }

  private void leave(MemoryJob row) {
    times.remove(row);
    row.approvalExpiresAt = null;
    row.line.remove(row);
    limits.forget(row);
    ended.remove(row);
    roomMade |= row.draft.limitKey().isPresent();
    MemoryJob.Claim claim = row.claim;
    if (claim != null) {
      row.claim = null;
      release(row, claim);
    }
  }

  private void release(MemoryJob row, MemoryJob.Claim claim) {
    if (!claim.holds.isEmpty()) {
      MemoryLimits.release(claim);
      lines
          .keySet()
          .forEach(lane -> readied.add(lane.queue())); // who waited for it may be anywhere
    }
    Set<MemoryJob> others = owned.get(claim.replica);
    if (others != null) {
      others.remove(row);
      if (others.isEmpty()) {
        owned.remove(claim.replica);
      }
    }
  }

  private void enter(MemoryJob row, Instant now) {
    approve(row, now);
    times.add(row);
    if (row.state == JobState.READY) {
      row.readyAt = now;
      row.line.addFirst(row);
      readied.add(row.lane().queue());
    } else if (row.state.isTerminal()) {
      row.pending = 0;
      keys.ended(row);
      if (row.state != JobState.DEAD) {
        ended.add(row);
        forgetOldest();
      }
    }
  }

  /** Gives a job to a replica that has just been counted with the limits. */
  void own(MemoryJob row, MemoryJob.Claim claim, Instant now) {
    boolean made = roomMade;
    move(row, JobTransition.CLAIM, JobState.RUNNING, now);
    roomMade = made; // it left its line, but made no room
    row.runs++;
    row.claim = claim;
    owned.computeIfAbsent(claim.replica, fresh -> new LinkedHashSet<>()).add(row);
  }

  private static void approve(MemoryJob row, Instant now) {
    row.approvalExpiresAt =
        row.state == JobState.AWAITING_APPROVAL
            ? row.rules().approval().map(now::plus).orElse(null)
            : null;
  }

  private void forgetOldest() {
    Iterator<MemoryJob> oldest = ended.iterator();
    while (ended.size() > endedJobs) {
      MemoryJob row = oldest.next();
      oldest.remove();
      rows.remove(row.id.value());
    }
  }
}
