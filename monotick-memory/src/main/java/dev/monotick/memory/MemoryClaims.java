package dev.monotick.memory;

import dev.monotick.internal.lane.LanePicker;
import dev.monotick.job.JobPause;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Gives jobs to replicas. Guarded by the store's lock. */
final class MemoryClaims {

  /** How many jobs whose key is full are put aside in one claim. */
  private static final int MOST_BLOCKED = 10_000;

  /** How many claims of a replica are known, so that it may be repeated. */
  private static final int KEPT_CLAIMS = 100;

  private record PauseKey(JobPause.Of of, String name) {}

  /** A job that was claimed, and what tells its place among the others of the claim. */
  private record Taken(MemoryJob row, int run, int level, double place) {}

  /** What one replica has claimed so far; its credits are its own. */
  private static final class Replica {

    private final LanePicker picker = new LanePicker();
    private final TreeMap<Long, List<Taken>> claims = new TreeMap<>();
  }

  private final JobTable table;
  private final Function<MemberId, String> names;
  private final Map<MemberId, Replica> replicas = new HashMap<>();

  /**
   * The first number of each replica's claims that is not used up: a request that was sent again
   * and arrives once more, late, would else claim jobs for a replica that has gone on and never
   * learns of them. Kept for good, as the registry keeps former members.
   */
  private final Map<MemberId, Long> unusedNumbers = new HashMap<>();

  private final Map<PauseKey, JobPause> pauses = new LinkedHashMap<>();
  private final Map<String, Integer> weights = new HashMap<>();

  MemoryClaims(JobTable table, Function<MemberId, String> names) {
    this.table = table;
    this.names = names;
  }

  void setTenantWeight(String tenant, int weight) {
    if (weight < 1) {
      throw new IllegalArgumentException(
          "weight must be at least 1, but was " + weight + "; limit the tenant to run less");
    }
    weights.put(tenant, weight);
  }

  void pause(JobPause pause) {
    pauses.putIfAbsent(new PauseKey(pause.of(), pause.name()), pause);
  }

  boolean resume(JobPause.Of of, String name) {
    return pauses.remove(new PauseKey(of, name)) != null;
  }

  List<JobPause> pauses() {
    return List.copyOf(pauses.values());
  }

  /** Forgets replicas that are gone. */
  void forget(Predicate<MemberId> isGone) {
    replicas.keySet().removeIf(isGone);
  }

  /** Claims jobs; if the number is used, returns those claimed under it that have not ended. */
  List<ClaimedJob> claim(ClaimRequest request, Instant now) {
    Replica replica = replicas.computeIfAbsent(request.member(), fresh -> new Replica());
    if (isUsed(request)) {
      return replica.claims.getOrDefault(request.number(), List.of()).stream()
          .filter(taken -> isStillOf(request.member(), taken))
          .map(taken -> taken.row().claimed())
          .toList();
    }
    List<Taken> taken = take(request, replica.picker, now);
    unusedNumbers.put(request.member(), request.number() + (taken.isEmpty() ? 0 : 1));
    if (!taken.isEmpty()) {
      replica.claims.put(request.number(), taken);
      if (replica.claims.size() > KEPT_CLAIMS) {
        replica.claims.pollFirstEntry();
      }
    }
    return taken.stream().map(job -> job.row().claimed()).toList();
  }

  /** Returns whether the number is used. */
  boolean isUsed(ClaimRequest request) {
    return request.number() < unusedNumbers.getOrDefault(request.member(), 0L);
  }

  /** Returns whether the request could have got more. */
  boolean hasMore(ClaimRequest request, Instant now) {
    return table.lines().stream().anyMatch(line -> available(line, request, now) > 0);
  }

  /** Returns how long until a rate lets one of the jobs begin that the request could not get. */
  Optional<Duration> untilRateAllows(ClaimRequest request, Instant now) {
    return table.lines().stream()
        .filter(line -> line.size() > 0 && isAsked(line, request))
        .flatMap(line -> table.limits.untilRateAllows(line.lane, now).stream())
        .min(Comparator.naturalOrder());
  }

  private List<Taken> take(ClaimRequest request, LanePicker picker, Instant now) {
    List<Taken> taken = new ArrayList<>();
    Map<LaneQueue, Integer> levels = new HashMap<>();
    int[] mayBlock = {MOST_BLOCKED};
    table.unblock();
    for (int round = 0; taken.size() < request.most(); round++) {
      List<LaneQueue> lines = new ArrayList<>();
      List<LanePicker.Candidate> candidates = new ArrayList<>();
      for (LaneQueue line : table.lines()) {
        int available = available(line, request, now);
        if (available > 0) {
          LanePicker.Candidate candidate = candidate(line, available, now);
          lines.add(line);
          candidates.add(candidate);
          levels.putIfAbsent(line, candidate.level());
        }
      }
      int before = taken.size() + mayBlock[0];
      int[] takes = picker.pick(candidates, request.most() - taken.size());
      for (int i = 0; i < takes.length; i++) {
        LaneQueue line = lines.get(i);
        int level = levels.getOrDefault(line, 0);
        List<MemoryJob> rows = takeFrom(line, takes[i], request.member(), mayBlock, now);
        for (int place = 0; place < rows.size(); place++) {
          MemoryJob row = rows.get(place);
          double part = (place + 0.5) / rows.size();
          taken.add(new Taken(row, row.runs, level, round + part));
        }
      }
      if (taken.size() + mayBlock[0] == before || mayBlock[0] <= 0) {
        break;
      }
    }
    taken.sort(
        Comparator.comparingInt(Taken::level)
            .thenComparingDouble(Taken::place)
            .thenComparingInt(job -> job.row().line.number));
    return taken;
  }

  /** Takes the first of a line. Limits that others share may end it early. */
  private List<MemoryJob> takeFrom(
      LaneQueue line, int most, MemberId replica, int[] mayBlock, Instant now) {
    List<MemoryJob> rows = new ArrayList<>();
    int free = table.limits.free(line.lane, now);
    for (MemoryJob row = line.first();
        row != null && rows.size() < Math.min(most, free) && mayBlock[0] > 0;
        row = line.first()) {
      MemoryJob.Claim claim = new MemoryJob.Claim(replica, names.apply(replica), now);
      if (table.limits.tryHold(row, claim, now)) {
        table.own(row, claim, now);
        rows.add(row);
      } else {
        mayBlock[0]--;
      }
    }
    return rows;
  }

  private LanePicker.Candidate candidate(LaneQueue line, int available, Instant now) {
    Duration waited = line.oldest().map(at -> Duration.between(at, now)).orElse(Duration.ZERO);
    return new LanePicker.Candidate(
        line.number,
        line.lane.tenant(),
        weights.getOrDefault(line.lane.tenant(), 1),
        line.lane.priority(),
        waited,
        available);
  }

  private int available(LaneQueue line, ClaimRequest request, Instant now) {
    return line.size() == 0 || !isAsked(line, request)
        ? 0
        : Math.min(line.size(), table.limits.free(line.lane, now));
  }

  private boolean isAsked(LaneQueue line, ClaimRequest request) {
    return request.kinds().contains(line.lane.kind())
        && (request.queues().isEmpty() || request.queues().contains(line.lane.queue()))
        && !pauses.containsKey(new PauseKey(JobPause.Of.QUEUE, line.lane.queue()))
        && !pauses.containsKey(new PauseKey(JobPause.Of.KIND, line.lane.kind()));
  }

  private static boolean isStillOf(MemberId replica, Taken taken) {
    MemoryJob.Claim claim = taken.row().claim;
    return claim != null && claim.replica.equals(replica) && taken.row().runs == taken.run();
  }
}
