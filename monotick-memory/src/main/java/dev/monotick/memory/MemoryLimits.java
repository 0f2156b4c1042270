package dev.monotick.memory;

import dev.monotick.job.JobLimit;
import dev.monotick.job.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The limits, how much of each is in use, and the jobs that wait because their key is full. Guarded
 * by the store's lock.
 *
 * <p>A job whose key is full leaves its line, so that it is in nobody's way; before each claim as
 * many of them come back to the head of their line as the key has room for.
 */
final class MemoryLimits {

  private static final double ALMOST = 1e-9;
  private static final int SWEEP_AT = 1_000;

  /** Names a use: of a limit, by a tenant and a key where it counts them apart. */
  record UseKey(JobLimit.Scope scope, String tenant, String key) {}

  /** How much of a limit is in use: of the whole, of one tenant, or of one key. */
  static final class Use {

    private int running;
    private double tokens;
    private Instant filledAt = Instant.MIN;
    private final Map<LaneQueue, TreeMap<Long, MemoryJob>> blocked = new LinkedHashMap<>();
  }

  private final Map<JobLimit.Scope, JobLimit> limits = new LinkedHashMap<>();
  private final Map<UseKey, Use> uses = new HashMap<>();
  private final Set<UseKey> withBlocked = new LinkedHashSet<>();
  private int sweepAt = SWEEP_AT;

  List<JobLimit> all() {
    return List.copyOf(limits.values());
  }

  /** Sets a limit; jobs of its scope that run already count. */
  void set(JobLimit limit, Iterable<MemoryJob> running, Instant now) {
    unblockAll(limit.scope());
    JobLimit before = limits.put(limit.scope(), limit);
    recount(limit.scope(), Optional.ofNullable(before).flatMap(JobLimit::rate), now);
    if (before == null) {
      for (MemoryJob row : running) {
        MemoryJob.Claim claim = row.claim;
        if (claim != null && binds(limit, row)) {
          hold(limit, row, claim, now);
        }
      }
    }
  }

  boolean remove(JobLimit.Scope scope) {
    unblockAll(scope);
    uses.keySet().removeIf(key -> key.scope().equals(scope));
    return limits.remove(scope) != null;
  }

  /** Returns how many jobs of a lane may begin now, as far as their keys do not matter. */
  int free(Lane lane, Instant now) {
    int free = Integer.MAX_VALUE;
    for (JobLimit limit : limits.values()) {
      if (!limit.scope().perKey() && covers(limit.scope(), lane)) {
        Use use = use(limit, lane, "", now);
        if (limit.running().isPresent()) {
          free = Math.min(free, Math.max(0, limit.running().get() - use.running));
        }
        if (limit.rate().isPresent()) {
          free = Math.min(free, (int) (use.tokens + ALMOST));
        }
      }
    }
    return free;
  }

  /** Returns how long until a lane may begin one again that its rate keeps from it. */
  Optional<Duration> untilRateAllows(Lane lane, Instant now) {
    Duration longest = Duration.ZERO;
    for (JobLimit limit : limits.values()) {
      Optional<JobLimit.Rate> rate = limit.rate();
      if (rate.isPresent() && covers(limit.scope(), lane)) {
        double missing = 1 - use(limit, lane, "", now).tokens;
        double nanos = missing * rate.get().period().toNanos() / rate.get().count();
        Duration wait = Duration.ofNanos((long) Math.ceil(Math.max(0, nanos)));
        longest = wait.compareTo(longest) > 0 ? wait : longest;
      }
    }
    return longest.isZero() ? Optional.empty() : Optional.of(longest);
  }

  /**
   * Counts a job that begins, or has it wait because its key is full. Its lane must be {@linkplain
   * #free}.
   */
  boolean tryHold(MemoryJob row, MemoryJob.Claim claim, Instant now) {
    String key = row.draft.limitKey().orElse("");
    for (JobLimit limit : limits.values()) {
      if (limit.scope().perKey() && binds(limit, row)) {
        Use use = use(limit, row.lane(), key, now);
        if (use.running >= limit.running().orElse(Integer.MAX_VALUE)) {
          block(row, useKey(limit.scope(), row.lane(), key), use);
          return false;
        }
      }
    }
    for (JobLimit limit : limits.values()) {
      if (binds(limit, row)) {
        Use use = hold(limit, row, claim, now);
        if (limit.rate().isPresent()) {
          use.tokens -= 1;
        }
      }
    }
    return true;
  }

  static void release(MemoryJob.Claim claim) {
    claim.holds.forEach(use -> use.running--);
    claim.holds.clear();
  }

  /** Has jobs stand in line again whose key has room. */
  void unblock() {
    sweep();
    for (UseKey key : List.copyOf(withBlocked)) {
      JobLimit limit = limits.get(key.scope());
      Use use = uses.get(key);
      if (limit != null && use != null) {
        int room = limit.running().orElse(Integer.MAX_VALUE) - use.running;
        for (TreeMap<Long, MemoryJob> rows : List.copyOf(use.blocked.values())) {
          for (int i = 0; i < room && !rows.isEmpty(); i++) {
            unblock(rows.firstEntry().getValue());
          }
        }
      }
    }
  }

  /** To be called when a job that is READY becomes something else. */
  void forget(MemoryJob row) {
    UseKey key = row.blockedBy;
    if (key != null) {
      row.blockedBy = null;
      Use use = uses.get(key);
      TreeMap<Long, MemoryJob> rows = use == null ? null : use.blocked.get(row.line);
      if (use != null && rows != null) {
        rows.remove(row.id.value());
        if (rows.isEmpty()) {
          use.blocked.remove(row.line);
        }
        if (use.blocked.isEmpty()) {
          withBlocked.remove(key);
        }
      }
    }
  }

  /** Drops what is known of keys that nobody uses, once there are many. */
  private void sweep() {
    if (uses.size() > sweepAt) {
      uses.entrySet()
          .removeIf(
              entry ->
                  entry.getKey().scope().perKey()
                      && entry.getValue().running == 0
                      && entry.getValue().blocked.isEmpty());
      sweepAt = Math.max(SWEEP_AT, 2 * uses.size());
    }
  }

  private void block(MemoryJob row, UseKey key, Use use) {
    row.line.remove(row);
    row.blockedBy = key;
    use.blocked.computeIfAbsent(row.line, line -> new TreeMap<>()).put(row.id.value(), row);
    withBlocked.add(key);
  }

  private void unblock(MemoryJob row) {
    forget(row);
    row.line.addFirst(row);
  }

  private void unblockAll(JobLimit.Scope scope) {
    for (UseKey key : List.copyOf(withBlocked)) {
      Use use = uses.get(key);
      if (key.scope().equals(scope) && use != null) {
        List<MemoryJob> rows = new ArrayList<>();
        use.blocked.values().forEach(some -> rows.addAll(some.values()));
        rows.forEach(this::unblock);
      }
    }
  }

  private Use hold(JobLimit limit, MemoryJob row, MemoryJob.Claim claim, Instant now) {
    Use use = use(limit, row.lane(), row.draft.limitKey().orElse(""), now);
    use.running++;
    claim.holds.add(use);
    return use;
  }

  private Use use(JobLimit limit, Lane lane, String key, Instant now) {
    Use use = uses.computeIfAbsent(useKey(limit.scope(), lane, key), fresh -> new Use());
    limit.rate().ifPresent(rate -> fill(use, rate, now));
    return use;
  }

  /**
   * Counts what passed at the old rate. After none, or if nothing of the old one is in use, a rate
   * begins with all that a period gives.
   */
  private void recount(JobLimit.Scope scope, Optional<JobLimit.Rate> rate, Instant now) {
    uses.forEach(
        (key, use) -> {
          if (key.scope().equals(scope)) {
            rate.ifPresent(old -> fill(use, old, now));
            if (rate.map(old -> use.tokens >= old.count() - ALMOST).orElse(true)) {
              use.filledAt = Instant.MIN;
            }
          }
        });
  }

  private static void fill(Use use, JobLimit.Rate rate, Instant now) {
    if (use.filledAt.equals(Instant.MIN)) {
      use.tokens = rate.count();
    } else if (now.isAfter(use.filledAt)) {
      double periods =
          (double) Duration.between(use.filledAt, now).toNanos() / rate.period().toNanos();
      use.tokens = Math.min(rate.count(), use.tokens + periods * rate.count());
    }
    use.filledAt = now; // also if the clock was set back: what passed since is lost, no more
  }

  private static UseKey useKey(JobLimit.Scope scope, Lane lane, String key) {
    boolean each = scope.tenant().equals(JobLimit.Scope.EACH);
    return new UseKey(scope, each ? lane.tenant() : "", scope.perKey() ? key : "");
  }

  private static boolean binds(JobLimit limit, MemoryJob row) {
    return covers(limit.scope(), row.lane())
        && (!limit.scope().perKey() || row.draft.limitKey().isPresent());
  }

  private static boolean covers(JobLimit.Scope scope, Lane lane) {
    return (scope.kind().isEmpty() || scope.kind().equals(lane.kind()))
        && (scope.tenant().isEmpty()
            || scope.tenant().equals(JobLimit.Scope.EACH)
            || scope.tenant().equals(lane.tenant()));
  }
}
