package dev.monotick.server.ratelimit;

import dev.monotick.server.ratelimit.RateStore.Bucket;
import dev.monotick.server.ratelimit.RateStore.Grant;
import dev.monotick.server.setting.Rate;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A named limit of one rate, with a bucket for each key, shared by all replicas.
 *
 * <p>Asking the database for each request would cost more than most requests. So a replica takes a
 * lease of tokens, a tenth of a second's worth, and hands these out until that time is over; what
 * is left then it puts back when it next asks. The bucket in the database is smaller than the burst
 * by one lease, because what is handed out now may have come in that much earlier. So, over all
 * replicas and in any stretch of time, exactly: never more than the burst and what has come in
 * since. It may be less, by what is leased and not used: up to one lease for each replica.
 *
 * <p>Thread-safe. Leases count on the replica's ticker, from before the request for one left.
 */
final class RateLimiter {

  private static final long LEASES_PER_SECOND = 10;
  private static final long SHORTEST_REFUSAL = Duration.ofMillis(5).toNanos();
  private static final int MOST_KEYS = 20_000;

  private final String name;
  private final Rate rate;
  private final long each;
  private final long lease;
  private final RateStore store;
  private final TimeSource time;
  private final Map<String, Leased> leases = new ConcurrentHashMap<>();

  /**
   * What is said to a request.
   *
   * @param allowed whether it may go on
   * @param left about how many more may
   * @param nanosToNext when it may if it may not now
   */
  record Decision(boolean allowed, long left, long nanosToNext) {}

  /** What this replica has of one bucket. All fields are guarded by it. */
  private static final class Leased {
    private long tokens;
    private long until;
    private long left;
    private long refusedUntil;
    private boolean refused;
  }

  RateLimiter(String name, Rate rate, RateStore store, TimeSource time) {
    this.name = name;
    this.rate = rate;
    this.each = rate.nanosEach();
    long worth = Duration.ofSeconds(1).toNanos() / LEASES_PER_SECOND / each;
    this.lease = Math.max(1, Math.min(worth, rate.burst() / 4));
    this.store = store;
    this.time = time;
  }

  String name() {
    return name;
  }

  Rate rate() {
    return rate;
  }

  /** Asks for one request of a key. */
  Decision take(String key) {
    if (leases.size() >= MOST_KEYS) {
      leases.clear(); // loses at most a lease of each, which comes in again
    }
    Leased leased = leases.computeIfAbsent(key, missing -> new Leased());
    synchronized (leased) {
      long now = time.nanos();
      if (leased.tokens > 0 && leased.until - now > 0) {
        leased.tokens--;
        return new Decision(true, leased.left + leased.tokens, 0);
      }
      if (leased.refused && leased.refusedUntil - now > 0) {
        return new Decision(false, 0, leased.refusedUntil - now);
      }
      return decide(key, leased, now);
    }
  }

  private Decision decide(String key, Leased leased, long now) {
    long capacity = lease == 1 ? rate.burst() : rate.burst() - lease;
    long unused = leased.tokens;
    leased.tokens = 0;
    Grant grant = store.take(new Bucket(name, key), each, capacity, lease, unused);
    leased.left = grant.left();
    leased.refused = grant.count() == 0;
    if (leased.refused) {
      leased.refusedUntil = time.nanos() + Math.max(SHORTEST_REFUSAL, grant.nanosToNext());
      return new Decision(false, 0, grant.nanosToNext());
    }
    leased.tokens = grant.count() - 1;
    leased.until = now + lease * each;
    return new Decision(true, leased.left + leased.tokens, 0);
  }
}
