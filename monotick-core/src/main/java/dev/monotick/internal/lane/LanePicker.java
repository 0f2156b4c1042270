package dev.monotick.internal.lane;

import dev.monotick.job.Lane;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Says how many jobs to take from which lane. Arithmetic only: no clock, no I/O, no chance.
 *
 * <p>Tenants share by their weights, the lanes of a tenant by their level: level {@code p} weighs
 * {@code 2^(9-p)}. A lane's level is its priority, and one less for every {@link #AGEING} its
 * oldest job has waited. What a lane cannot use is shared by the others, and costs them nothing.
 *
 * <p>Shares are seldom whole numbers. What a lane got too little or too much of is carried over to
 * the next pick as its credit, always between -1 and 1. So over any number of picks a lane that
 * always has jobs gets its share up to one job, and one with the share {@code s} gets its first
 * within {@code 1/s} jobs, rounded up. A lane that has none in a pick loses what was owed to it,
 * but not what it owes: otherwise one that has a job now and then would come first each time.
 *
 * <p>Not thread-safe.
 */
public final class LanePicker {

  /** For each such time that its oldest job waited, a lane is one level more urgent. */
  public static final Duration AGEING = Duration.ofSeconds(30);

  /** Stands for a number of jobs that is not known. */
  public static final int MANY = Integer.MAX_VALUE;

  private static final double EPSILON = 1e-6;

  /** Less than a whole job, so that old credits alone never make more than is wanted. */
  private static final double MOST_CREDIT = 0.9999;

  private final Map<Integer, Credit> credits = new HashMap<>();
  private long picks;

  /** Creates one that owes nothing to anybody. */
  public LanePicker() {}

  /**
   * A lane that has jobs.
   *
   * @param lane what tells it from other lanes
   * @param tenant whose it is
   * @param weight weight of the tenant, at least 1
   * @param priority from 0, the most urgent, to 9
   * @param waited how long its oldest job has been ready
   * @param available how many it can give, {@link #MANY} if that is not known
   */
  public record Candidate(
      int lane, String tenant, int weight, int priority, Duration waited, int available) {

    /** Returns how urgent it is: its priority, less what its oldest job has waited for. */
    public int level() {
      return LanePicker.level(priority, waited);
    }
  }

  /** Returns how urgent a lane is: its priority, less what its oldest job has waited for. */
  public static int level(int priority, Duration waited) {
    long aged = Math.max(0, waited.toSeconds()) / AGEING.toSeconds();
    return (int) Math.max(0, priority - aged);
  }

  /**
   * Returns how many jobs to take of each lane, in their order: together as many as wanted, unless
   * all lanes have fewer.
   *
   * @param lanes the lanes, each once
   * @param most how many are wanted
   */
  public int[] pick(List<Candidate> lanes, int most) {
    int[] takes = new int[lanes.size()];
    if (lanes.isEmpty() || most <= 0) {
      return takes;
    }
    picks++;
    Share[] shares = shares(lanes);
    long available = 0;
    for (Share share : shares) {
      available += share.candidate.available();
    }
    if (available <= most) {
      for (Share share : shares) {
        share.take = share.candidate.available();
        share.rest = Math.min(0, share.credit.value);
      }
    } else {
      divide(shares, most);
    }
    for (Share share : shares) {
      takes[share.place] = share.take;
      double best = share.take < share.candidate.available() ? MOST_CREDIT : 0;
      share.credit.value = Math.max(-1, Math.min(best, share.rest));
      share.credit.pick = picks;
    }
    return takes;
  }

  /** Forgets a lane that is no more. */
  public void forget(int lane) {
    credits.remove(lane);
  }

  private Share[] shares(List<Candidate> lanes) {
    Map<String, Tenant> tenants = new HashMap<>();
    Share[] shares = new Share[lanes.size()];
    double total = 0;
    for (int i = 0; i < shares.length; i++) {
      Candidate lane = lanes.get(i);
      Tenant tenant = tenants.get(lane.tenant());
      if (tenant == null) {
        tenant = new Tenant();
        tenants.put(lane.tenant(), tenant);
        total += lane.weight();
      }
      Credit credit = credits.computeIfAbsent(lane.lane(), key -> new Credit());
      if (credit.pick != picks - 1) {
        credit.value = Math.min(0, credit.value);
      }
      shares[i] = new Share(lane, i, tenant, credit);
    }
    for (Share share : shares) {
      share.part = share.candidate.weight() / total * (share.weight / share.tenant.weight);
    }
    return shares;
  }

  private static void divide(Share[] shares, int most) {
    double height = height(shares, most);
    int left = most;
    for (Share share : shares) {
      double due = share.due(height);
      share.take = (int) Math.min(share.candidate.available(), Math.floor(due + EPSILON));
      share.take = Math.max(0, share.take);
      share.rest = due - share.take;
      left -= share.take;
    }
    if (left > 0) {
      Arrays.sort(shares);
    }
    while (left > 0) {
      for (int i = 0; i < shares.length && left > 0; i++) {
        Share share = shares[i];
        if (share.take < share.candidate.available()) {
          share.take++;
          share.rest--;
          left--;
        }
      }
    }
  }

  /**
   * Returns how many jobs would have to be divided by weight so that as many as wanted are taken,
   * where each lane takes no less than none and no more than it has. That number grows with the
   * height along straight lines, so a few of Newton's steps find it, kept between bounds.
   */
  private static double height(Share[] shares, int most) {
    double low = 0;
    double high = Double.POSITIVE_INFINITY;
    double height = most;
    for (int step = 0; step < 100; step++) {
      double sum = 0;
      double slope = 0;
      for (Share share : shares) {
        double due = share.due(height);
        if (due >= share.candidate.available()) {
          sum += share.candidate.available();
        } else if (due > 0) {
          sum += due;
          slope += share.part;
        }
      }
      double missing = most - sum;
      if (Math.abs(missing) < EPSILON / 10 || (height == 0 && missing < 0)) {
        return height; // at 0 the old credits alone are more than is wanted: they go first
      }
      if (missing > 0) {
        low = height;
      } else {
        high = height;
      }
      double next = slope > 0 ? height + missing / slope : Double.NaN;
      if (next > low && next < high) {
        height = next;
      } else if (high == Double.POSITIVE_INFINITY) {
        height = height * 2 + 1;
      } else {
        height = high - low < EPSILON / 10 ? low : (low + high) / 2;
      }
    }
    return height;
  }

  /** What is owed to a lane, or by it, since the pick it last took part in. */
  private static final class Credit {

    private double value;
    private long pick;
  }

  /** The sum of the weights of a tenant's lanes. */
  private static final class Tenant {

    private double weight;
  }

  /** One lane in one pick; in the order in which what is left over is given away. */
  private static final class Share implements Comparable<Share> {

    private final Candidate candidate;
    private final int place;
    private final Tenant tenant;
    private final Credit credit;
    private final int level;
    private final double weight;
    private double part;
    private int take;
    private double rest;

    Share(Candidate candidate, int place, Tenant tenant, Credit credit) {
      this.candidate = candidate;
      this.place = place;
      this.tenant = tenant;
      this.credit = credit;
      this.level = candidate.level();
      this.weight = 1 << (Lane.LOWEST_PRIORITY - level);
      tenant.weight += weight;
    }

    double due(double height) {
      return part * height + credit.value;
    }

    @Override
    public int compareTo(Share other) {
      if (rest != other.rest) {
        return rest > other.rest ? -1 : 1;
      }
      if (level != other.level) {
        return Integer.compare(level, other.level);
      }
      int older = other.candidate.waited().compareTo(candidate.waited());
      return older != 0 ? older : Integer.compare(candidate.lane(), other.candidate.lane());
    }
  }
}
