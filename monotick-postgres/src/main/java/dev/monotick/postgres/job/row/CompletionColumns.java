package dev.monotick.postgres.job.row;

import dev.monotick.spi.job.Completion;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends of runs, column by column, in the order of their jobs' numbers. */
public final class CompletionColumns {

  /** How many parameters of a statement they are. */
  public static final int COUNT = 12;

  public static final String TYPES =
      "?::bigint[], ?::integer[], ?::smallint[], ?::integer[], ?::smallint[], ?::smallint[],"
          + " ?::bigint[], ?::bigint[], ?::text[], ?::bytea[], ?::bigint[], ?::integer[]";

  private final int[] places; // in the caller's order, of each row
  private final long[] ids;
  private final int[] runs;
  private final short[] attempts;
  private final int[] lanes;
  private final int[] claims;
  private final short[] flags;
  private final short[] outcomes;
  private final @Nullable Long[] started;
  private final long[] took;
  private @Nullable String @Nullable [] details;
  private byte @Nullable [] @Nullable [] results;
  private @Nullable Long @Nullable [] delays;
  private long soonest = Long.MAX_VALUE;

  /**
   * What the store knows of a run beside what is reported.
   *
   * @param claim the place of its claim among those of the report, from 1; 0 if it has none
   */
  public record OpenRun(int lane, int flags, int claim) {

    public static final OpenRun NOT_OPEN = new OpenRun(0, 0, 0);
  }

  /** Creates columns for reports; {@code known} in the same order. */
  public CompletionColumns(List<Completion> finishes, List<OpenRun> known) {
    int count = finishes.size();
    places = order(finishes);
    ids = new long[count];
    runs = new int[count];
    attempts = new short[count];
    lanes = new int[count];
    claims = new int[count];
    flags = new short[count];
    outcomes = new short[count];
    started = new @Nullable Long[count];
    took = new long[count];
    for (int i = 0; i < count; i++) {
      Completion finish = finishes.get(places[i]);
      OpenRun more = known.get(places[i]);
      ids[i] = finish.job().id().value();
      runs[i] = finish.job().run().number();
      attempts[i] = (short) finish.job().run().attempt();
      lanes[i] = more.lane();
      claims[i] = more.claim();
      flags[i] = (short) more.flags();
      Instant start = finish.startedAt();
      started[i] = start == null ? null : JobColumns.micros(start);
      took[i] = JobColumns.micros(finish.took());
      outcomes[i] = end(i, finish);
    }
  }

  /** Sorted, so that all who end runs lock them in the same order. */
  private static int[] order(List<Completion> finishes) {
    int count = finishes.size();
    boolean sorted = true;
    for (int i = 1; i < count && sorted; i++) {
      sorted = finishes.get(i - 1).job().id().value() <= finishes.get(i).job().id().value();
    }
    int[] places = new int[count];
    if (sorted) {
      Arrays.setAll(places, i -> i);
      return places;
    }
    Integer[] boxed = new Integer[count];
    Arrays.setAll(boxed, i -> i);
    Arrays.sort(boxed, (a, b) -> finishes.get(a).job().id().compareTo(finishes.get(b).job().id()));
    Arrays.setAll(places, i -> boxed[i]);
    return places;
  }

  private short end(int row, Completion finish) {
    Completion.End end = finish.result();
    if (end instanceof Completion.Succeeded success) {
      if (success.result() != null) {
        result(row, success.result());
      }
      return OutcomeCodes.SUCCEEDED;
    }
    if (end instanceof Completion.Retried failure) {
      detail(row, failure.error());
      delay(row, JobColumns.micros(failure.delay()));
      return OutcomeCodes.RETRIED;
    }
    if (end instanceof Completion.Snoozed snooze) {
      delay(row, JobColumns.micros(snooze.delay()));
      return OutcomeCodes.SNOOZED;
    }
    if (end instanceof Completion.Died death) {
      detail(row, death.error());
      return OutcomeCodes.DIED;
    }
    if (end instanceof Completion.Discarded discard) {
      detail(row, discard.reason());
      return OutcomeCodes.DISCARDED;
    }
    if (end instanceof Completion.Lost lost) {
      detail(row, lost.reason());
      return OutcomeCodes.LOST;
    }
    return OutcomeCodes.HANDED_BACK;
  }

  private void detail(int row, String text) {
    if (details == null) {
      details = new @Nullable String[ids.length];
    }
    details[row] = JobColumns.text(text);
  }

  private void result(int row, byte[] value) {
    if (results == null) {
      results = new byte @Nullable [ids.length][];
    }
    results[row] = value;
  }

  private void delay(int row, long micros) {
    if (delays == null) {
      delays = new @Nullable Long[ids.length];
    }
    delays[row] = Math.max(0, micros);
    soonest = Math.min(soonest, Math.max(0, micros));
  }

  /** Returns in how many microseconds the first of them is due again; the greatest if none is. */
  public long soonest() {
    return soonest;
  }

  /** Sets parameters from that index on. */
  public void set(PreparedStatement statement, int first) throws SQLException {
    int index = first;
    JobColumns.set(statement, index++, ids);
    JobColumns.set(statement, index++, runs);
    JobColumns.set(statement, index++, attempts);
    JobColumns.set(statement, index++, lanes);
    JobColumns.set(statement, index++, flags);
    JobColumns.set(statement, index++, outcomes);
    JobColumns.set(statement, index++, started);
    JobColumns.set(statement, index++, took);
    JobColumns.set(statement, index++, details);
    JobColumns.set(statement, index++, results);
    JobColumns.set(statement, index++, delays);
    JobColumns.set(statement, index, claims);
  }

  /** Sets parameters from that index on to nothing. */
  public static void setNone(PreparedStatement statement, int first) throws SQLException {
    for (int i = 0; i < COUNT; i++) {
      statement.setNull(first + i, Types.NULL);
    }
  }

  /**
   * Returns what the server said of the rows in the order of the reports.
   *
   * @param counted null if all count
   */
  public List<Boolean> counted(@Nullable Boolean @Nullable [] counted) {
    Boolean[] replies = new Boolean[ids.length];
    for (int i = 0; i < replies.length; i++) {
      replies[places[i]] = counted == null || Boolean.TRUE.equals(counted[i]);
    }
    return List.of(replies);
  }
}
