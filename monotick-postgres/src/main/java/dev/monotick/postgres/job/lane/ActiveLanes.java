package dev.monotick.postgres.job.lane;

import dev.monotick.internal.lane.LanePicker;
import dev.monotick.job.Lane;
import dev.monotick.postgres.job.row.ExchangeCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is known of the lanes between claims, and how many jobs to take of which. Thread-safe. */
public final class ActiveLanes {

  private static final Duration EVERY_RECENT = Duration.ofMillis(100);
  private static final Duration EVERYTHING = Duration.ofSeconds(10);

  private static final int MANY_LANES = 256;

  /** While there is nothing to do, everything is looked at as often as that. */
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** A replica that has not claimed for that long asks how far others are. */
  private static final long STALE_NANOS = Duration.ofSeconds(15).toNanos();

  private final ScanPositions positions;
  private final LanePicker picker = new LanePicker(); // guarded by this
  private final Map<Integer, Long> waitingSince = new HashMap<>(); // full lanes; guarded by this
  private final GapScan recent; // of what is not settled; guarded by this
  private final GapScan all; // of everything, in case we are wrong; guarded by this
  private final DueScan due;
  private @Nullable LaneSelection choice; // guarded by this
  private boolean wasEmpty; // the last claim found nothing; guarded by this
  private int rotor; // where to go on among very many lanes; guarded by this
  private long emptySince; // or since the last look at everything; guarded by this
  private boolean isInherited; // guarded by this
  private boolean skipsAhead; // guarded by this
  private long repliedAt; // guarded by this

  public ActiveLanes(long nowNanos) {
    positions = new ScanPositions(nowNanos);
    due = new DueScan(positions, nowNanos);
    repliedAt = nowNanos;
    recent = new GapScan(EVERY_RECENT, nowNanos);
    all = new GapScan(EVERYTHING, nowNanos);
    emptySince = nowNanos;
  }

  /** Lanes that a replica may take jobs of. */
  private record LaneSelection(
      long version, Set<String> kinds, Set<String> queues, List<Integer> lanes, Bounds bounds) {

    boolean fits(LaneRules table, ExchangeCall turn) {
      return version == table.version()
          && kinds.equals(turn.kinds())
          && queues.equals(turn.queues());
    }
  }

  /**
   * What to ask for.
   *
   * @param lanes which lanes to look at
   * @param positions from which number on
   * @param shares how many to take of each, if it has them
   * @param bounds which of them have limits
   * @param stableBelow below which number no job can appear any more
   * @param everything whether all lanes are looked at from their beginning
   */
  @SuppressWarnings("ArrayRecordComponent")
  public // columns of a statement, never compared
  record Plan(
      int[] lanes,
      long[] positions,
      int[] shares,
      Bounds bounds,
      long stableBelow,
      boolean everything) {

    /** Asks for nothing. */
    public static final Plan NOTHING =
        new Plan(new int[0], new long[0], new int[0], Bounds.NONE, 0, false);
  }

  /** Limits of lanes: each pair of a lane and a limit, and whom it counts the lane for. */
  @SuppressWarnings("ArrayRecordComponent")
  public // columns of a statement, never compared
  record Bounds(int @Nullable [] lanes, int @Nullable [] limits, String @Nullable [] tenants) {

    static final Bounds NONE = new Bounds(null, null, null);

    static Bounds of(LaneRules table, List<Integer> lanes) {
      List<Integer> bound = new ArrayList<>();
      List<Integer> limits = new ArrayList<>();
      List<String> tenants = new ArrayList<>();
      for (LaneRules.Limit limit : table.limits()) {
        for (int id : lanes) {
          Lane lane = table.lane(id);
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

  /** Returns what to claim. */
  public synchronized Plan plan(LaneRules table, ExchangeCall turn, long nowMicros, long nowNanos) {
    boolean everything = wasEmpty && all.isCheap() && nowNanos - emptySince >= IDLE_NANOS;
    if (everything) {
      emptySince = nowNanos;
      all.scannedAll(nowNanos);
    }
    LaneSelection chosen = choose(table, turn);
    List<Integer> lanes = everything || wasEmpty ? chosen.lanes() : few(chosen.lanes());
    int count = lanes.size();
    Plan plan =
        new Plan(
            new int[count],
            new long[count],
            new int[count],
            chosen.bounds(),
            positions.stableBelow(),
            everything);
    for (int i = 0; i < count; i++) {
      plan.lanes[i] = lanes.get(i);
      plan.positions[i] = everything ? 0 : positions.position(lanes.get(i));
    }
    share(table, plan, turn.most(), nowMicros);
    return plan;
  }

  /**
   * Where there are very many lanes, a busy replica looks at those that had jobs, and at some of
   * the others in turn.
   */
  private List<Integer> few(List<Integer> lanes) {
    if (lanes.size() <= MANY_LANES) {
      return lanes;
    }
    Set<Integer> some = new TreeSet<>();
    for (int i = 0; i < MANY_LANES / 2; i++) {
      some.add(lanes.get((rotor + i) % lanes.size()));
    }
    rotor = (rotor + MANY_LANES / 2) % lanes.size();
    List<Integer> few = new ArrayList<>();
    for (Integer lane : lanes) {
      if (waitingSince.containsKey(lane) || some.contains(lane)) {
        few.add(lane);
      }
    }
    return few;
  }

  private void share(LaneRules table, Plan plan, int most, long nowMicros) {
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

  private static LanePicker.Candidate candidate(LaneRules table, int id, long waitedMicros) {
    Lane lane = table.lane(id);
    return new LanePicker.Candidate(
        id,
        lane.tenant(),
        table.weight(lane.tenant()),
        lane.priority(),
        Duration.ofMillis(waitedMicros / 1_000),
        LanePicker.MANY);
  }

  private LaneSelection choose(LaneRules table, ExchangeCall turn) {
    LaneSelection current = choice;
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
          new LaneSelection(
              table.version(),
              Set.copyOf(turn.kinds()),
              Set.copyOf(turn.queues()),
              lanes,
              Bounds.of(table, lanes));
      choice = current;
    }
    return current;
  }

  /** Returns whether to read how far others are, before jobs are claimed. */
  synchronized boolean isStale(long nowNanos) {
    return !isInherited || nowNanos - repliedAt >= STALE_NANOS;
  }

  /** Takes in how far others were. */
  synchronized void inherit(ScanPositions.Inherited inherited, long nowNanos) {
    isInherited = true;
    repliedAt = nowNanos;
    positions.inherit(inherited);
    if (skipsAhead) {
      skipsAhead = false;
      positions.skipAhead();
    }
  }

  /**
   * Takes in that a claim took too long to be answered. The next one begins at the youngest jobs,
   * in case it was because of dead rows; sweeps find the others.
   */
  public synchronized void tookTooLong() {
    if (isInherited) {
      positions.skipAhead();
    } else {
      skipsAhead = true;
    }
  }

  /** Returns where claims begin. */
  ScanPositions positions() {
    return positions;
  }

  /** Returns from when on jobs are looked for that became due. */
  public DueScan due() {
    return due;
  }

  /** Returns whether there may be something to sweep or to save. */
  synchronized boolean hasWork(long nowNanos) {
    return recent.isDue(nowNanos)
        || all.isDue(nowNanos)
        || due.isDue(nowNanos)
        || positions.isTimeToSave(nowNanos);
  }

  /**
   * Takes in what a claim found, which knew of the same lanes as the server.
   *
   * @param tookNanos how long it took
   */
  public synchronized void recordReply(
      Plan plan, ClaimReader reply, long tookNanos, long nowNanos) {
    repliedAt = nowNanos;
    if (plan.everything && reply.hasScanned()) {
      all.scannedAll(tookNanos, nowNanos);
    }
    reply.taken().forEach(positions::count);
    boolean isEmpty = reply.jobs().isEmpty();
    if (isEmpty && !wasEmpty) {
      emptySince = nowNanos;
    }
    wasEmpty = isEmpty;
    positions.saw(reply.idBefore(), reply.firstOpen(), reply.transaction());
    for (int i = 0; i < plan.lanes.length; i++) {
      Long last = reply.last().get(plan.lanes[i]);
      if (last != null) {
        positions.claimed(plan.lanes[i], plan.positions[i], last + 1, plan.stableBelow);
      } else if (wasScanned(plan, plan.lanes[i], reply)) {
        positions.sawNothing(plan.lanes[i], plan.positions[i], Long.MAX_VALUE, plan.stableBelow);
      }
    }
    if (plan.lanes.length > 1) {
      for (int lane : plan.lanes) {
        waitingSince.remove(lane);
      }
      waitingSince.putAll(reply.waitingSince());
    }
  }

  /**
   * Returns whether a lane of which nothing was taken was looked at to its end. A claim may be full
   * before it comes to a lane, or the lane's limits may; it may be a repetition, or its replica
   * gone.
   */
  private static boolean wasScanned(Plan plan, int lane, ClaimReader reply) {
    if (plan.lanes.length > 1) { // then it is asked first which of them have any
      return reply.hasScanned() && !reply.waitingSince().containsKey(lane);
    }
    return reply.hasScanned() && !reply.isUsed() && plan.bounds.lanes() == null;
  }

  /**
   * A look at what the hints pass over.
   *
   * @param lanes which lanes
   * @param positions up to which number of each
   * @param stableBelow below which number no job can appear any more
   */
  @SuppressWarnings("ArrayRecordComponent") // a column of a statement, never compared
  record Sweep(
      List<Integer> lanes,
      long[] positions,
      GapScan.Range range,
      boolean isRecent,
      long to,
      long stableBelow) {}

  /**
   * Has everything looked at with the next claim: a replica that died may have left jobs locked.
   */
  public synchronized void scanAllSoon(long nowNanos) {
    all.soon(nowNanos);
  }

  /**
   * Returns what is to be looked at again now, null if nothing is.
   *
   * @param isIdle whether no claim was just made
   */
  synchronized @Nullable Sweep sweep(boolean isIdle, long nowNanos) {
    LaneSelection chosen = choice;
    if (chosen == null) {
      return null;
    }
    if (!isIdle && recent.isDue(nowNanos)) {
      Sweep found = sweep(chosen, true, nowNanos);
      if (found != null) {
        return found;
      }
    }
    boolean isTime = isIdle ? all.isOverdue(nowNanos) : all.isDue(nowNanos);
    return isTime ? sweep(chosen, false, nowNanos) : null;
  }

  private @Nullable Sweep sweep(LaneSelection chosen, boolean isRecent, long nowNanos) {
    GapScan kind = isRecent ? recent : all;
    List<Integer> slice =
        kind.slice(
            () ->
                chosen.lanes().stream()
                    .filter(
                        lane ->
                            (isRecent ? positions.watermark(lane) : 0) < positions.position(lane)));
    if (slice.isEmpty() && !isRecent && !kind.isUnderWay()) {
      return null; // claims begin at the beginning of each lane, and pass nothing over
    }
    long[] bounds = new long[slice.size()];
    long lowest = Long.MAX_VALUE;
    long highest = 0;
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = positions.position(slice.get(i));
      highest = Math.max(highest, bounds[i]);
      long watermark = positions.watermark(slice.get(i));
      lowest = watermark < bounds[i] ? Math.min(lowest, watermark) : lowest;
    }
    long from = isRecent ? lowest : 0;
    if (from >= highest) { // no lanes are left, or claims have closed their gaps
      kind.finishSlice(nowNanos);
      return null;
    }
    return new Sweep(
        slice, bounds, kind.piece(from, highest), isRecent, highest, positions.stableBelow());
  }

  /** Returns how long to wait for the next piece of a sweep; empty if none is under way. */
  synchronized OptionalLong untilNextPiece(long nowNanos) {
    return all.untilNextPiece(nowNanos);
  }

  /** Takes in what such a look found. */
  synchronized void swept(Sweep sweep, List<Gap> gaps, long tookNanos, long nowNanos) {
    GapScan.Range range = sweep.range();
    GapScan kind = sweep.isRecent() ? recent : all;
    if (kind.isAt(sweep.lanes())) {
      kind.scanned(range, sweep.to(), tookNanos, nowNanos);
    }
    Map<Integer, Long> left = new HashMap<>();
    for (Gap gap : gaps) {
      if (gap.areMany()) {
        positions.found(gap.lane(), gap.firstSeen());
      } else if (gap.firstLeft() != null) {
        positions.left(gap.lane(), gap.firstLeft());
      }
      left.put(gap.lane(), gap.areMany() ? Long.valueOf(gap.firstSeen()) : gap.firstLeft());
    }
    for (int i = 0; i < sweep.positions.length; i++) {
      int lane = sweep.lanes.get(i);
      Long first = left.get(lane);
      long upTo = first == null ? Math.min(range.high(), sweep.positions[i]) : first;
      positions.sawNothing(lane, range.low(), upTo, sweep.stableBelow);
    }
  }

  /** Takes in that such a look failed; the next one is smaller. */
  synchronized void sweepFailed(Sweep sweep, long tookNanos, long nowNanos) {
    GapScan kind = sweep.isRecent() ? recent : all;
    if (kind.isAt(sweep.lanes())) {
      kind.failed(sweep.range(), tookNanos, nowNanos);
    }
  }

  /**
   * Jobs of a lane that the hint passes over.
   *
   * @param firstSeen the first of them
   * @param firstLeft the first that was not moved to where the next claim finds it, null if all
   *     were
   * @param areMany whether there are so many that the next claim should begin at the first one
   */
  record Gap(int lane, long firstSeen, @Nullable Long firstLeft, boolean areMany) {}
}
