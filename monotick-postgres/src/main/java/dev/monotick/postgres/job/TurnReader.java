package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.JobRules;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobRun;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what job_turn returns. Used once. */
final class TurnReader {

  private static final int VERSION = 0;
  private static final int FIRST_OPEN = 1;
  private static final int NEXT_TRANSACTION = 2;
  private static final int NOW = 3;
  private static final int NEXT_DUE = 4;
  private static final int ID_BEFORE = 5;
  private static final int RATE_ALLOWS = 6;

  private final LaneTable table;
  private final OpenClaims.Adding claims;
  private final List<ClaimedJob> jobs = new ArrayList<>();
  private final Map<Integer, Long> last = new HashMap<>();
  private final Map<Integer, Long> waitingSince = new HashMap<>();
  private @Nullable Boolean @Nullable [] counted;
  private @Nullable Long[] facts = new @Nullable Long[0];

  TurnReader(LaneTable table, OpenClaims.Adding claims) {
    this.table = table;
    this.claims = claims;
  }

  TurnReader read(ResultSet row) throws SQLException {
    row.next();
    readFacts(row);
    if (version() == table.version()) {
      Cache cache = new Cache();
      while (row.next()) {
        jobs.add(readJob(row, cache));
      }
    }
    return this;
  }

  private void readFacts(ResultSet row) throws SQLException {
    Array ends = row.getArray(16);
    counted = ends == null ? null : (@Nullable Boolean[]) ends.getArray();
    facts = (@Nullable Long[]) row.getArray(17).getArray();
    readPairs(row, 18, waitingSince);
    readPairs(row, 20, last);
  }

  private static void readPairs(ResultSet row, int column, Map<Integer, Long> pairs)
      throws SQLException {
    Array lanes = row.getArray(column);
    if (lanes != null) {
      Integer[] keys = (Integer[]) lanes.getArray();
      Long[] values = (Long[]) row.getArray(column + 1).getArray();
      for (int i = 0; i < keys.length; i++) {
        pairs.put(keys[i], values[i]);
      }
    }
  }

  /** Jobs of one lane are mostly treated alike. */
  private static final class Cache {

    private long timeoutMillis = -1;
    private int maxAttempts;
    private int effect;
    private @Nullable JobRules rules;
    private int lane;
    private @Nullable JobLane name;
  }

  private ClaimedJob readJob(ResultSet row, Cache cache) throws SQLException {
    long id = row.getLong(1);
    int run = row.getInt(2);
    int attempt = row.getInt(3);
    int lane = row.getInt(4);
    int flags = row.getInt(5);
    Instant readyAt = JobColumns.time(row, 6);
    JobLane name = cache.name;
    if (name == null || cache.lane != lane) {
      name = table.lane(lane);
      cache.name = name;
      cache.lane = lane;
    }
    String limitKey = (flags & JobFlags.KEYED) == 0 ? null : row.getString(13);
    claims.add(id, run, lane, flags);
    return new ClaimedJob(
        new JobRun(new JobId(id), run, attempt),
        name,
        row.getInt(7),
        row.getBytes(15),
        rules(row, cache),
        Optional.ofNullable(limitKey),
        readyAt == null ? now() : readyAt,
        JobColumns.headers(row, 14));
  }

  private static JobRules rules(ResultSet row, Cache cache) throws SQLException {
    long timeout = row.getLong(8);
    Instant deadline = JobColumns.time(row, 9);
    int maxAttempts = row.getInt(10);
    int effect = row.getInt(11);
    long approval = row.getLong(12);
    boolean approved = !row.wasNull();
    JobRules rules = cache.rules;
    boolean plain = deadline == null && !approved;
    if (plain
        && rules != null
        && cache.timeoutMillis == timeout
        && cache.maxAttempts == maxAttempts
        && cache.effect == effect) {
      return rules;
    }
    rules =
        new JobRules(
            maxAttempts,
            Duration.ofMillis(timeout),
            Optional.ofNullable(deadline),
            JobColumns.effect(effect),
            approved ? Optional.of(Duration.ofMillis(approval)) : Optional.empty());
    if (plain) {
      cache.rules = rules;
      cache.timeoutMillis = timeout;
      cache.maxAttempts = maxAttempts;
      cache.effect = effect;
    }
    return rules;
  }

  private long fact(int place) {
    Long fact = facts[place];
    if (fact == null) {
      throw new IllegalStateException("the turn did not say fact " + place);
    }
    return fact;
  }

  List<ClaimedJob> jobs() {
    return jobs;
  }

  @Nullable Boolean @Nullable [] counted() {
    return counted;
  }

  /** The last number claimed of each lane, but for its head, where numbers say nothing. */
  Map<Integer, Long> last() {
    return last;
  }

  /** Lanes that had jobs, and since when the first of them waits, in microseconds. */
  Map<Integer, Long> waitingSince() {
    return waitingSince;
  }

  long version() {
    return fact(VERSION);
  }

  long firstOpen() {
    return fact(FIRST_OPEN);
  }

  long nextTransaction() {
    return fact(NEXT_TRANSACTION);
  }

  long idBefore() {
    return fact(ID_BEFORE);
  }

  Instant now() {
    return JobColumns.time(fact(NOW));
  }

  /**
   * When the next job is due that waits for its time; null if that was not looked at, or none is.
   */
  @Nullable Instant nextDue() {
    return timeOf(NEXT_DUE);
  }

  /** When a rate allows more jobs that wait now; null if none kept any. */
  @Nullable Instant rateAllows() {
    return timeOf(RATE_ALLOWS);
  }

  private @Nullable Instant timeOf(int place) {
    Long micros = facts[place];
    return micros == null ? null : JobColumns.time(micros);
  }
}
