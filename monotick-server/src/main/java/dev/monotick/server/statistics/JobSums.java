package dev.monotick.server.statistics;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** What happened in a piece of time. */
record JobSums(Counts counts, Lengths runs, Lengths waits) {

  static final JobSums NONE = new JobSums(Counts.NONE, Lengths.NONE, Lengths.NONE);

  /**
   * How many.
   *
   * @param added jobs
   * @param succeeded jobs
   * @param failed attempts
   * @param retried attempts that failed and are tried again
   * @param dead jobs that became dead letters
   * @param cancelled jobs
   * @param snoozed runs that wanted to be asked later
   * @param rescued runs of replicas that were gone
   * @param requeued jobs that somebody wanted again
   * @param ended jobs that were discarded, lost, rejected, or expired
   */
  record Counts(
      long added,
      long succeeded,
      long failed,
      long retried,
      long dead,
      long cancelled,
      long snoozed,
      long rescued,
      long requeued,
      long ended) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          added + other.added,
          succeeded + other.succeeded,
          failed + other.failed,
          retried + other.retried,
          dead + other.dead,
          cancelled + other.cancelled,
          snoozed + other.snoozed,
          rescued + other.rescued,
          requeued + other.requeued,
          ended + other.ended);
    }
  }

  /** How long something took: how often, together, at most, and how many took how long. */
  record Lengths(long count, long micros, long longest, List<Long> histogram) {

    static final Lengths NONE = new Lengths(0, 0, 0, List.of());

    Lengths plus(Lengths other) {
      return new Lengths(
          count + other.count,
          micros + other.micros,
          Math.max(longest, other.longest),
          Histogram.sum(histogram, other.histogram));
    }

    private static Lengths read(ResultSet row, String count, String of) throws SQLException {
      return new Lengths(
          row.getLong(count),
          row.getLong(of + "_micros"),
          row.getLong(of + "_longest"),
          List.of((Long[]) row.getArray(of + "_histogram").getArray()));
    }
  }

  JobSums plus(JobSums other) {
    return new JobSums(counts.plus(other.counts), runs.plus(other.runs), waits.plus(other.waits));
  }

  static JobSums read(ResultSet row) throws SQLException {
    return new JobSums(
        new Counts(
            row.getLong("added"),
            row.getLong("succeeded"),
            row.getLong("failed"),
            row.getLong("retried"),
            row.getLong("dead"),
            row.getLong("cancelled"),
            row.getLong("snoozed"),
            row.getLong("rescued"),
            row.getLong("requeued"),
            row.getLong("ended")),
        Lengths.read(row, "runs", "run"),
        Lengths.read(row, "starts", "wait"));
  }
}
