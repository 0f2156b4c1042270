package dev.monotick.memory;

import dev.monotick.job.internal.LanePicker;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobTurn;
import dev.monotick.replica.ReplicaId;
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
final class JobClaims {

  /** How many jobs whose key is full are put aside in one turn. */
  private static final int MOST_BLOCKED = 10_000;

  /** How many claims of a replica are known, so that a turn may be repeated. */
  private static final int KEPT_CLAIMS = 100;

  private record PauseKey(JobPause.Of of, String name) {}

  /** A job that was claimed, and what tells its place among the others of the turn. */
  private record Taken(JobRow row, int run, int level, double place) {}

  /** What one replica has claimed so far; its credits are its own. */
  private static final class Replica {

    private final LanePicker picker = new LanePicker();
    private final TreeMap<Long, List<Taken>> claims = new TreeMap<>();
  }

  private final JobTable table;
  private final Function<ReplicaId, String> names;
  private final Map<ReplicaId, Replica> replicas = new HashMap<>();

  /**
   * The first number of each replica's turns that is not used up: a turn that was sent again and
   * arrives once more, late, would else claim jobs for a replica that has gone on and never learns
   * of them. Kept for good, as the registry keeps former members.
   */
  private final Map<ReplicaId, Long> unusedNumbers = new HashMap<>();

  private final Map<PauseKey, JobPause> pauses = new LinkedHashMap<>();
  private final Map<String, Integer> weights = new HashMap<>();

  JobClaims(JobTable table, Function<ReplicaId, String> names) {
    this.table = table;
    this.names = names;
  }

  void weigh(String tenant, int weight) {
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
  void forget(Predicate<ReplicaId> isGone) {
    replicas.keySet().removeIf(isGone);
  }

  /** Claims what the turn asks for; if it was sent before, what it got then and still has. */
  List<ClaimedJob> claim(JobTurn turn, Instant now) {
    Replica replica = replicas.computeIfAbsent(turn.replica(), fresh -> new Replica());
    if (isUsed(turn) || turn.closes()) {
      return replica.claims.getOrDefault(turn.number(), List.of()).stream()
          .filter(taken -> isStillOf(turn.replica(), taken))
          .map(taken -> taken.row().claimed())
          .toList();
    }
    List<Taken> taken = take(turn, replica.picker, now);
    unusedNumbers.put(turn.replica(), turn.number() + (taken.isEmpty() ? 0 : 1));
    if (!taken.isEmpty()) {
      replica.claims.put(turn.number(), taken);
      if (replica.claims.size() > KEPT_CLAIMS) {
        replica.claims.pollFirstEntry();
      }
    }
    return taken.stream().map(job -> job.row().claimed()).toList();
  }

  /** Says whether the turn's number is used up. */
  boolean isUsed(JobTurn turn) {
    return turn.number() < unusedNumbers.getOrDefault(turn.replica(), 0L);
  }

  /** Says whether the turn could have got more. */
  boolean hasMore(JobTurn turn, Instant now) {
    return table.lines().stream().anyMatch(line -> available(line, turn, now) > 0);
  }

  /** Returns how long until a rate lets one of the jobs begin that the turn could not get. */
  Optional<Duration> untilRateAllows(JobTurn turn, Instant now) {
    return table.lines().stream()
        .filter(line -> line.size() > 0 && isAsked(line, turn))
        .flatMap(line -> table.limits.untilRateAllows(line.lane, now).stream())
        .min(Comparator.naturalOrder());
  }

  private List<Taken> take(JobTurn turn, LanePicker picker, Instant now) {
    List<Taken> taken = new ArrayList<>();
    Map<JobLine, Integer> levels = new HashMap<>();
    int[] mayBlock = {MOST_BLOCKED};
    table.unblock();
    for (int round = 0; taken.size() < turn.most(); round++) {
      List<JobLine> lines = new ArrayList<>();
      List<LanePicker.Candidate> candidates = new ArrayList<>();
      for (JobLine line : table.lines()) {
        int available = available(line, turn, now);
        if (available > 0) {
          LanePicker.Candidate candidate = candidate(line, available, now);
          lines.add(line);
          candidates.add(candidate);
          levels.putIfAbsent(line, candidate.level());
        }
      }
      int before = taken.size() + mayBlock[0];
      int[] takes = picker.pick(candidates, turn.most() - taken.size());
      for (int i = 0; i < takes.length; i++) {
        JobLine line = lines.get(i);
        int level = levels.getOrDefault(line, 0);
        List<JobRow> rows = takeFrom(line, takes[i], turn.replica(), mayBlock, now);
        for (int place = 0; place < rows.size(); place++) {
          JobRow row = rows.get(place);
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
  private List<JobRow> takeFrom(
      JobLine line, int most, ReplicaId replica, int[] mayBlock, Instant now) {
    List<JobRow> rows = new ArrayList<>();
    int free = table.limits.free(line.lane, now);
    for (JobRow row = line.first();
        row != null && rows.size() < Math.min(most, free) && mayBlock[0] > 0;
        row = line.first()) {
      JobRow.Claim claim = new JobRow.Claim(replica, names.apply(replica), now);
      if (table.limits.tryHold(row, claim, now)) {
        table.own(row, claim, now);
        rows.add(row);
      } else {
        mayBlock[0]--;
      }
    }
    return rows;
  }

  private LanePicker.Candidate candidate(JobLine line, int available, Instant now) {
    Duration waited = line.oldest().map(at -> Duration.between(at, now)).orElse(Duration.ZERO);
    return new LanePicker.Candidate(
        line.number,
        line.lane.tenant(),
        weights.getOrDefault(line.lane.tenant(), 1),
        line.lane.priority(),
        waited,
        available);
  }

  private int available(JobLine line, JobTurn turn, Instant now) {
    return line.size() == 0 || !isAsked(line, turn)
        ? 0
        : Math.min(line.size(), table.limits.free(line.lane, now));
  }

  private boolean isAsked(JobLine line, JobTurn turn) {
    return turn.kinds().contains(line.lane.kind())
        && (turn.queues().isEmpty() || turn.queues().contains(line.lane.queue()))
        && !pauses.containsKey(new PauseKey(JobPause.Of.QUEUE, line.lane.queue()))
        && !pauses.containsKey(new PauseKey(JobPause.Of.KIND, line.lane.kind()));
  }

  private static boolean isStillOf(ReplicaId replica, Taken taken) {
    JobRow.Claim claim = taken.row().claim;
    return claim != null && claim.replica.equals(replica) && taken.row().runs == taken.run();
  }
}
