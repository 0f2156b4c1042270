package dev.monotick.postgres.job.lane;

import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.Lane;
import dev.monotick.postgres.job.row.ExchangeCall;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.JobFlags;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.replica.MemberId;
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

/** Reads what job_exchange returns. Used once. */
public final class ClaimReader {

  /** The first columns of a job are numbers, none of them null. */
  private static final int NUMBERS = 11;

  private static final int VERSION = 0;
  private static final int FIRST_OPEN = 1;
  private static final int TRANSACTION = 2;
  private static final int NOW = 3;
  private static final int NEXT_DUE = 4;
  private static final int ID_BEFORE = 5;
  private static final int RATE_ALLOWS = 6;
  private static final int HAS_OFFER = 7;
  private static final int USED = 8;
  private static final int SCANNED = 9;

  private final MemberId owner;
  private final LaneRules table;
  private final OpenClaims.Adding claims;
  private final List<ClaimedJob> jobs = new ArrayList<>();
  private final Map<Integer, Long> last = new HashMap<>();
  private final Map<Integer, Long> waitingSince = new HashMap<>();
  private final Map<Integer, Integer> taken = new HashMap<>();
  private @Nullable Boolean @Nullable [] counted;
  private @Nullable Long[] facts = new @Nullable Long[0];

  public ClaimReader(ExchangeCall turn, LaneRules table, OpenClaims own) {
    this.owner = turn.replica();
    this.table = table;
    this.claims = own.adding(turn.number());
  }

  public ClaimReader read(ResultSet row) throws SQLException {
    row.next();
    readFacts(row);
    if (version() == table.version()) {
      Cache cache = new Cache();
      while (row.next()) {
        jobs.add(readJob(row, cache));
        cache.count++;
      }
      addTaken(cache);
    }
    return this;
  }

  private void readFacts(ResultSet row) throws SQLException {
    Array ends = row.getArray(17);
    counted = ends == null ? null : (@Nullable Boolean[]) ends.getArray();
    facts = (@Nullable Long[]) row.getArray(18).getArray();
    readPairs(row, 19, waitingSince);
    readPairs(row, 21, last);
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

    private final long[] numbers = new long[NUMBERS + 1];
    private long timeoutMillis = -1;
    private long maxAttempts;
    private long effect;
    private @Nullable JobRules rules;
    private int lane;
    private int count; // of jobs of that lane, one after the other
    private @Nullable Lane name;
  }

  private ClaimedJob readJob(ResultSet row, Cache cache) throws SQLException {
    long[] numbers = cache.numbers;
    // One call for all: what the driver does behind it is much code, and is compiled once.
    for (int column = 1; column <= NUMBERS; column++) {
      numbers[column] = row.getLong(column);
    }
    int lane = (int) numbers[4];
    Lane name = cache.name;
    if (name == null || cache.lane != lane) {
      addTaken(cache);
      name = table.lane(lane);
      cache.name = name;
      cache.lane = lane;
    }
    claims.add(numbers[1], (int) numbers[2], lane, (int) numbers[5]);
    boolean plain = numbers[11] == 0;
    return new ClaimedJob(
        owner,
        new JobRun(new JobId(numbers[1]), (int) numbers[2], (int) numbers[3]),
        name,
        (int) numbers[7],
        row.getBytes(12),
        plain ? plainRules(cache) : rareRules(row, numbers),
        plain ? Optional.empty() : Optional.ofNullable(row.getString(15)),
        JobColumns.time(numbers[6]),
        plain ? Map.of() : JobColumns.headers(row, 16),
        JobFlags.crashes((int) numbers[5]));
  }

  private static JobRules plainRules(Cache cache) {
    long[] numbers = cache.numbers;
    JobRules rules = cache.rules;
    if (rules == null
        || cache.timeoutMillis != numbers[8]
        || cache.maxAttempts != numbers[9]
        || cache.effect != numbers[10]) {
      rules = rules(numbers, Optional.empty(), Optional.empty());
      cache.rules = rules;
      cache.timeoutMillis = numbers[8];
      cache.maxAttempts = numbers[9];
      cache.effect = numbers[10];
    }
    return rules;
  }

  private static JobRules rareRules(ResultSet row, long[] numbers) throws SQLException {
    long deadline = row.getLong(13);
    boolean hasDeadline = !row.wasNull();
    long approval = row.getLong(14);
    boolean hasApproval = !row.wasNull();
    return rules(
        numbers,
        hasDeadline ? Optional.of(JobColumns.time(deadline)) : Optional.empty(),
        hasApproval ? Optional.of(Duration.ofMillis(approval)) : Optional.empty());
  }

  private static JobRules rules(
      long[] numbers, Optional<Instant> deadline, Optional<Duration> approval) {
    return new JobRules(
        (int) numbers[9],
        Duration.ofMillis(numbers[8]),
        deadline,
        JobColumns.effect((int) numbers[10]),
        approval);
  }

  private void addTaken(Cache cache) {
    if (cache.count > 0) {
      taken.merge(cache.lane, cache.count, Integer::sum);
      cache.count = 0;
    }
  }

  /** Returns how many jobs were taken of each lane. */
  Map<Integer, Integer> taken() {
    return taken;
  }

  private long fact(int place) {
    Long fact = facts[place];
    if (fact == null) {
      throw new IllegalStateException("the reply lacks fact " + place);
    }
    return fact;
  }

  public List<ClaimedJob> jobs() {
    return jobs;
  }

  @Nullable
  public Boolean @Nullable [] counted() {
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

  public long version() {
    return fact(VERSION);
  }

  long firstOpen() {
    return fact(FIRST_OPEN);
  }

  /** The number of the exchange's own transaction; null if it has none, since it wrote nothing. */
  @Nullable Long transaction() {
    return facts[TRANSACTION];
  }

  /** Returns whether there is an offer now. */
  public boolean hasOffer() {
    return fact(HAS_OFFER) == 1;
  }

  /** Returns whether the claim's number is used. */
  public boolean isUsed() {
    return fact(USED) == 1;
  }

  /** Returns whether lanes were looked at: only then is one that gave no job empty. */
  boolean hasScanned() {
    return fact(SCANNED) == 1;
  }

  long idBefore() {
    return fact(ID_BEFORE);
  }

  public Instant now() {
    return JobColumns.time(fact(NOW));
  }

  /**
   * When the next job is due that waits for its time; null if that was not looked at, or none is.
   */
  @Nullable
  public Instant nextDue() {
    return timeOf(NEXT_DUE);
  }

  /** When a rate allows more jobs that wait now; null if none kept any. */
  @Nullable
  public Instant rateAllows() {
    return timeOf(RATE_ALLOWS);
  }

  private @Nullable Instant timeOf(int place) {
    Long micros = facts[place];
    return micros == null ? null : JobColumns.time(micros);
  }
}
