package dev.monotick.postgres.job;

import dev.monotick.job.JobLane;
import dev.monotick.job.internal.LanePicker;
import dev.monotick.job.store.JobTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of the lanes from turn to turn, and how much to take of which. Thread-safe. */
final class LaneBook {

  private final LaneHints hints = new LaneHints(); // guarded by this
  private final LanePicker picker = new LanePicker(); // guarded by this
  private final Map<Integer, Long> waitingSince = new HashMap<>(); // full lanes; guarded by this
  private @Nullable Choice choice; // guarded by this

  /** Lanes that a replica may take jobs of. */
  private record Choice(
      long version, Set<String> kinds, Set<String> queues, List<Integer> lanes, Bounds bounds) {

    boolean fits(LaneTable table, JobTurn turn) {
      return version == table.version()
          && kinds.equals(turn.kinds())
          && queues.equals(turn.queues());
    }
  }

  /**
   * What to ask for.
   *
   * @param lanes which lanes to look at
   * @param hints from which number on
   * @param shares how many to take of each, if it has them
   * @param bounds which of them have limits
   */
  @SuppressWarnings("ArrayRecordComponent") // columns of a statement, never compared
  record Plan(int[] lanes, long[] hints, int[] shares, Bounds bounds) {}

  /** Limits of lanes: each pair of a lane and a limit, and whom it counts the lane for. */
  @SuppressWarnings("ArrayRecordComponent") // columns of a statement, never compared
  record Bounds(
      int @Nullable [] lanes, int @Nullable [] limits, String @Nullable [] tenants) {

    static final Bounds NONE = new Bounds(null, null, null);

    static Bounds of(LaneTable table, List<Integer> lanes) {
      List<Integer> bound = new ArrayList<>();
      List<Integer> limits = new ArrayList<>();
      List<String> tenants = new ArrayList<>();
      for (LaneTable.Limit limit : table.limits()) {
        for (int id : lanes) {
          JobLane lane = table.lane(id);
          if (limit.bounds(lane)) {
            bound.add(id);
            limits.add(limit.id());
            tenants.add(limit.countedFor(lane));
          }
        }
      }
      return bound.isEmpty()
          ? NONE
          : new Bounds(
              bound.stream().mapToInt(Integer::intValue).toArray(),
              limits.stream().mapToInt(Integer::intValue).toArray(),
              tenants.toArray(String[]::new));
    }
  }

  /** Says what to ask for in a turn. */
  synchronized Plan plan(LaneTable table, JobTurn turn, long nowMicros, boolean all) {
    Choice chosen = choose(table, turn);
    List<Integer> lanes = chosen.lanes();
    int count = lanes.size();
    Plan plan = new Plan(new int[count], new long[count], new int[count], chosen.bounds());
    for (int i = 0; i < count; i++) {
      plan.lanes[i] = lanes.get(i);
      plan.hints[i] = all ? 0 : hints.hint(lanes.get(i));
    }
    share(table, plan, turn.most(), nowMicros);
    return plan;
  }

  private void share(LaneTable table, Plan plan, int most, long nowMicros) {
    if (plan.lanes.length == 1) {
      plan.shares[0] = most;
      return;
    }
    List<LanePicker.Candidate> candidates = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < plan.lanes.length; i++) {
      Long since = waitingSince.get(plan.lanes[i]);
      if (since != null) {
        candidates.add(candidate(table, plan.lanes[i], Math.max(0, nowMicros - since)));
        places.add(i);
      }
    }
    if (candidates.isEmpty()) {
      for (int i = 0; i < plan.lanes.length; i++) {
        candidates.add(candidate(table, plan.lanes[i], 0));
        places.add(i);
      }
    }
    int[] takes = picker.pick(candidates, most);
    for (int i = 0; i < takes.length; i++) {
      plan.shares[places.get(i)] = takes[i];
    }
  }

  private static LanePicker.Candidate candidate(LaneTable table, int id, long waitedMicros) {
    JobLane lane = table.lane(id);
    return new LanePicker.Candidate(
        id,
        lane.tenant(),
        table.weight(lane.tenant()),
        lane.priority(),
        Duration.ofMillis(waitedMicros / 1_000),
        LanePicker.MANY);
  }

  private Choice choose(LaneTable table, JobTurn turn) {
    Choice current = choice;
    if (current == null || !current.fits(table, turn)) {
      List<Integer> lanes = new ArrayList<>();
      table
          .lanes()
          .forEach(
              (id, lane) -> {
                if (turn.kinds().contains(lane.kind())
                    && (turn.queues().isEmpty() || turn.queues().contains(lane.queue()))
                    && !table.isPaused(lane)) {
                  lanes.add(id);
                }
              });
      lanes.sort(
          Comparator.<Integer>comparingInt(id -> table.lane(id).priority())
              .thenComparingInt(id -> id));
      current =
          new Choice(table.version(), Set.copyOf(turn.kinds()), Set.copyOf(turn.queues()), lanes, Bounds.of(table, lanes));
      choice = current;
    }
    return current;
  }

  /** Takes in what a turn found. */
  synchronized void heard(Plan plan, TurnReader reply) {
    hints.saw(reply.idBefore(), reply.firstOpen(), reply.nextTransaction());
    reply.last().forEach(hints::claimed);
    if (plan.lanes.length > 1) {
      for (int lane : plan.lanes) {
        waitingSince.remove(lane);
      }
      waitingSince.putAll(reply.waitingSince());
    }
  }
}
