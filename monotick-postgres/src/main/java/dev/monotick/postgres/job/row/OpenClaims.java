package dev.monotick.postgres.job.row;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.JobId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one replica claimed and has not heard the end of: which claim each run belongs to, so that
 * the claim's row is deleted with the last of its runs, and what must be seen to when it ends.
 * Thread-safe.
 */
public final class OpenClaims {

  private final Map<Long, Open> open = new HashMap<>(); // guarded by this
  private final Set<Claim> over = new LinkedHashSet<>(); // to be deleted; guarded by this
  private final Set<Claim> leaving = new LinkedHashSet<>(); // being deleted now; guarded by this
  private long newest; // number of the last claim that was sent; guarded by this
  private boolean offered; // the store may have an offer; guarded by this

  /**
   * Its row stays until there is a newer one, also when all of its runs have ended: so the store
   * knows which numbers are used, and a message that comes late claims nothing. When the replica is
   * idle the row is emptied, because a job stays on record while a claim names it. Guarded by this.
   */
  private @Nullable Claim newestClaim;

  /** A claim, and how many of its runs are open. */
  private static final class Claim {

    private final long number;
    private int runs;
    private boolean isEmptied; // its row names no jobs any more

    Claim(long number) {
      this.number = number;
    }
  }

  /** Claims that a report is about: those of its runs, and others that are over. */
  public static final class Touched {

    private final Map<Claim, Integer> places = new LinkedHashMap<>();
    private final Set<Claim> over = new HashSet<>();

    private void add(Claim claim) {
      places.putIfAbsent(claim, places.size() + 1);
    }

    public boolean isEmpty() {
      return places.isEmpty();
    }

    /** Returns the place of a run's claim among them, from 1. */
    public int place(Open run) {
      return requireNonNull(places.get(run.claim));
    }

    /** Returns which of them are over with the report, so that their rows can be deleted. */
    public boolean[] overs() {
      boolean[] overs = new boolean[places.size()];
      places.forEach((claim, place) -> overs[place - 1] = over.contains(claim));
      return overs;
    }

    public long[] numbers() {
      return places.keySet().stream().mapToLong(claim -> claim.number).toArray();
    }
  }

  /** A run that has not ended, as far as is known here. */
  public static final class Open {

    private final long id;
    private final Claim claim;
    private final int run;
    private final int lane;
    private final int flags;
    private boolean noted;

    private Open(long id, Claim claim, int run, int lane, int flags) {
      this.id = id;
      this.claim = claim;
      this.run = run;
      this.lane = lane;
      this.flags = flags;
    }

    public int lane() {
      return lane;
    }

    /** Returns the number of its claim. */
    public long claimNumber() {
      return claim.number;
    }

    public int flags() {
      return flags;
    }

    public long id() {
      return id;
    }

    public int run() {
      return run;
    }

    public boolean noted() {
      return noted;
    }
  }

  /** Adds the runs of a claim, told one by one. */
  public final class Adding {

    private final Claim claim;

    private Adding(long number) {
      this.claim = new Claim(number);
    }

    public void add(long id, int run, int lane, int flags) {
      synchronized (OpenClaims.this) {
        Open old = open.get(id);
        if (old != null && old.run >= run) {
          return; // the claim was repeated
        }
        if (old != null) {
          close(old);
        }
        if (claim.runs == 0) {
          replaceNewest(claim);
        }
        open.put(id, new Open(id, claim, run, lane, flags));
        claim.runs++;
      }
    }
  }

  public Adding adding(long number) {
    return new Adding(number);
  }

  /** A claim is sent. One at a time is under way, and numbers grow. */
  public synchronized void sending(long number) {
    newest = Math.max(newest, number);
  }

  /** Records whether the store has an offer, or may have one. */
  public synchronized void offered(boolean is) {
    offered = is;
  }

  /** Returns whether the store may have an offer. */
  public synchronized boolean mayHaveOffer() {
    return offered;
  }

  /**
   * What is known of claims here.
   *
   * @param before claims from this number on may not be known yet
   * @param numbers the claims that are not over, or whose rows are still to be deleted
   */
  @SuppressWarnings("ArrayRecordComponent")
  public // a carrier, never compared
  record KnownClaims(long before, long[] numbers) {}

  public synchronized KnownClaims known() {
    LongStream runs = open.values().stream().mapToLong(run -> run.claim.number);
    Stream<Claim> kept = Stream.ofNullable(newestClaim);
    LongStream ended =
        Stream.of(over.stream(), leaving.stream(), kept)
            .flatMap(claims -> claims)
            .mapToLong(claim -> claim.number);
    return new KnownClaims(newest, LongStream.concat(runs, ended).distinct().toArray());
  }

  /** Returns the number of the newest claim if its runs have ended and its row may name them. */
  public synchronized OptionalLong newestToEmpty() {
    Claim claim = newestClaim;
    return claim == null || claim.runs > 0 || claim.isEmptied
        ? OptionalLong.empty()
        : OptionalLong.of(claim.number);
  }

  /** Records that the row of a claim names no jobs any more. */
  public synchronized void emptied(long number) {
    if (newestClaim != null && newestClaim.number == number) {
      newestClaim.isEmptied = true;
    }
  }

  public synchronized @Nullable Open find(JobId id, int run) {
    Open found = open.get(id.value());
    return found == null || found.run != run ? null : found;
  }

  public synchronized void note(JobId id, int run) {
    Open found = find(id, run);
    if (found != null) {
      found.noted = true;
    }
  }

  /**
   * Returns the claims of runs that end, and those that are over already. Those that are over, or
   * are so with these runs, are deleted by this caller and no other, until {@link #ended} or {@link
   * #notEnded} is called.
   */
  public synchronized Touched touchedBy(List<Open> ending) {
    Touched touched = new Touched();
    over.forEach(touched::add);
    touched.over.addAll(over);
    leaving.addAll(over);
    over.clear();
    Map<Claim, Integer> ends = new HashMap<>();
    for (Open run : ending) {
      touched.add(run.claim);
      boolean isLast = ends.merge(run.claim, 1, Integer::sum) == run.claim.runs;
      if (isLast && run.claim != newestClaim) {
        touched.over.add(run.claim);
      }
    }
    return touched;
  }

  /** Forgets runs that have ended, and claims whose rows were deleted. */
  public synchronized void ended(List<Open> runs, Touched touched) {
    runs.forEach(this::remove);
    over.removeAll(touched.over);
    leaving.removeAll(touched.over);
  }

  /** Keeps claims that were not deleted, or may not have been. */
  public synchronized void notEnded(Touched touched) {
    for (Claim claim : touched.over) {
      if (leaving.remove(claim)) {
        over.add(claim);
      }
    }
  }

  /** Returns whether all runs have ended. */
  public synchronized boolean isEmpty() {
    return open.isEmpty();
  }

  /** Forgets a run that ended otherwise than by a completion. */
  public synchronized void ended(JobId id, int run) {
    Open found = find(id, run);
    if (found != null) {
      remove(found);
    }
  }

  private void remove(Open run) {
    if (open.remove(run.id, run)) {
      close(run);
    }
  }

  private void close(Open run) {
    run.claim.runs--;
    if (run.claim.runs == 0 && run.claim != newestClaim) {
      over.add(run.claim);
    }
  }

  private void replaceNewest(Claim claim) {
    Claim before = newestClaim;
    newestClaim = claim;
    if (before != null && before.runs == 0) {
      over.add(before);
    }
  }
}
