package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one replica claimed and has not heard the end of: which claim each run belongs to, so that
 * the claim's row is deleted with the last of its runs, and what must be seen to when it ends.
 * Thread-safe.
 */
final class OpenClaims {

  private final Map<Long, Open> open = new HashMap<>(); // guarded by this
  private final Set<Claim> over = new LinkedHashSet<>(); // to be deleted; guarded by this
  private final Set<Claim> leaving = new LinkedHashSet<>(); // being deleted now; guarded by this
  private long newest; // number of the last turn that claims; guarded by this
  private boolean openTurn; // one may be open in the store; guarded by this

  /** A claim, and how many of its runs are open. */
  private static final class Claim {

    private final long number;
    private long first; // of its jobs
    private int firstRun;
    private int runs;

    Claim(long number) {
      this.number = number;
    }
  }

  /** Claims that are over, so that their rows can be deleted. */
  static final class Over {

    private final List<Claim> claims;

    private Over(Collection<Claim> claims) {
      this.claims = List.copyOf(claims);
    }

    long[] numbers() {
      return claims.stream().mapToLong(claim -> claim.number).toArray();
    }

    /**
     * Returns the first job of each. There may be another claim of the same number by now, made by
     * a turn that came late: that one is not over.
     */
    long[] firsts() {
      return claims.stream().mapToLong(claim -> claim.first).toArray();
    }

    int[] firstRuns() {
      return claims.stream().mapToInt(claim -> claim.firstRun).toArray();
    }
  }

  /** A run that has not ended, as far as is known here. */
  static final class Open {

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

    int lane() {
      return lane;
    }

    /** Returns the number of its claim; see {@link Over#firsts} on why that is not enough. */
    long claimNumber() {
      return claim.number;
    }

    long claimFirst() {
      return claim.first;
    }

    int claimFirstRun() {
      return claim.firstRun;
    }

    int flags() {
      return flags;
    }

    long id() {
      return id;
    }

    int run() {
      return run;
    }

    boolean noted() {
      return noted;
    }
  }

  /** Adds the runs of a claim, told one by one. */
  final class Adding {

    private final Claim claim;

    private Adding(long number) {
      this.claim = new Claim(number);
    }

    void add(long id, int run, int lane, int flags) {
      synchronized (OpenClaims.this) {
        Open old = open.get(id);
        if (old != null && old.run >= run) {
          return; // the turn was repeated
        }
        if (old != null) {
          close(old);
        }
        if (claim.first == 0) {
          claim.first = id;
          claim.firstRun = run;
        }
        open.put(id, new Open(id, claim, run, lane, flags));
        claim.runs++;
      }
    }
  }

  Adding adding(long number) {
    return new Adding(number);
  }

  /** Takes note that a turn that claims is sent; one at a time is under way, numbers grow. */
  synchronized void sending(long number) {
    newest = Math.max(newest, number);
  }

  /** Takes note whether a turn is, or may be, open in the store. */
  synchronized void openTurn(boolean is) {
    openTurn = is;
  }

  /** Says whether a turn may be open. */
  synchronized boolean mayHaveOpenTurn() {
    return openTurn;
  }

  /**
   * What is known of claims here.
   *
   * @param before claims of turns from this number on may not be known yet
   * @param numbers the claims that are not over, or whose rows are still to be deleted
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier, never compared
  record Known(long before, long[] numbers) {}

  synchronized Known known() {
    LongStream runs = open.values().stream().mapToLong(run -> run.claim.number);
    LongStream ended =
        Stream.concat(over.stream(), leaving.stream()).mapToLong(claim -> claim.number);
    return new Known(newest, LongStream.concat(runs, ended).distinct().toArray());
  }

  synchronized @Nullable Open find(JobId id, int run) {
    Open found = open.get(id.value());
    return found == null || found.run != run ? null : found;
  }

  synchronized void note(JobId id, int run) {
    Open found = find(id, run);
    if (found != null) {
      found.noted = true;
    }
  }

  /**
   * Returns the claims that are over once those runs are, and those that are over already, which
   * are nobody else's to delete until {@link #ended} or {@link #notEnded} is told.
   */
  synchronized @Nullable Over overWith(List<Open> ending) {
    List<Claim> claims = new ArrayList<>(over);
    leaving.addAll(over);
    over.clear();
    Map<Claim, Integer> ends = new HashMap<>();
    for (Open run : ending) {
      if (ends.merge(run.claim, 1, Integer::sum) == run.claim.runs) {
        claims.add(run.claim);
      }
    }
    return claims.isEmpty() ? null : new Over(claims);
  }

  /** Forgets runs that have ended, and claims whose rows were deleted. */
  synchronized void ended(List<Open> runs, @Nullable Over deleted) {
    runs.forEach(this::remove);
    if (deleted != null) {
      deleted.claims.forEach(over::remove);
      deleted.claims.forEach(leaving::remove);
    }
  }

  /** Takes in that claims were not deleted, or that nobody knows. */
  synchronized void notEnded(@Nullable Over kept) {
    if (kept != null) {
      for (Claim claim : kept.claims) {
        if (leaving.remove(claim)) {
          over.add(claim);
        }
      }
    }
  }

  /** Forgets a run that ended otherwise than in a turn. */
  synchronized void ended(JobId id, int run) {
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
    if (run.claim.runs == 0) {
      over.add(run.claim);
    }
  }
}
