package dev.monotick.postgres.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.RunOutcomes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lists jobs, youngest first. Those in a state that ends some time are read from the table of that
 * state. Those that ended well, or all, are looked for among the youngest jobs, step by step; after
 * {@value #STEPS} steps of {@value #STEP} rows it returns what it found.
 */
final class JobSearch {

  private static final int STEP = 20_000;
  private static final int STEPS = 5;

  private final Database database;
  private final String these;

  JobSearch(Database database) {
    this.database = database;
    these =
        database.sql(
            "with wanted(id) as materialized (select distinct unnest(?::bigint[]))"
                + JobRow.select("null::bytea")
                + JobRow.FROM
                + " order by j.id desc");
  }

  /** Which jobs: those of some lanes, below a number, at most so many. */
  private record Page(JobFilter filter, boolean lanes, long before, int most) {

    Page below(long id, int rest) {
      return new Page(filter, lanes, id, rest);
    }

    /** Returns a condition on the lane in that column. */
    String inLanes(String column) {
      return lanes ? " and " + column + " in (select id from lanes)" : "";
    }

    String part(String columns, String from, String id) {
      return "(select %s from %s and %s < %d order by %s desc limit %d)"
          .formatted(columns, from, id, before, id, most);
    }
  }

  List<Job> list(Connection connection, JobFilter filter, int most) throws SQLException {
    boolean lanes =
        filter.queue().isPresent() || filter.kind().isPresent() || filter.tenant().isPresent();
    long before = filter.before().map(id -> id.value()).orElse(Long.MAX_VALUE);
    Page page = new Page(filter, lanes, before, most);
    Optional<JobState> state = filter.state();
    if (state.isEmpty()) {
      return lanes
          ? stepwise(connection, page, "@job", "id", JobSearch::anywhere)
          : read(connection, page, anywhere(page, 0));
    }
    return state.get() == JobState.SUCCEEDED
        ? stepwise(connection, page, "@job_attempt", "job_id", JobSearch::succeeded)
        : read(connection, page, candidates(page, state.get()));
  }

  List<Job> list(Connection connection, List<JobId> ids) throws SQLException {
    try (PreparedStatement statement = database.prepareLimited(connection, these)) {
      Object[] numbers = ids.stream().map(JobId::value).toArray();
      statement.setArray(1, connection.createArrayOf("bigint", numbers));
      return read(database.executeLimited(statement));
    }
  }

  /** The SQL of numbers of jobs that are at least some number. */
  private interface Source {
    String sql(Page page, long least);
  }

  private List<Job> stepwise(
      Connection connection, Page page, String table, String id, Source source)
      throws SQLException {
    List<Job> found = new ArrayList<>();
    Page rest = page;
    for (int step = 0; step < STEPS && found.size() < page.most; step++) {
      String sql =
          "select min(n), count(*) from (select %s as n from %s where %s < %d order by %s desc limit %d) x"
              .formatted(id, table, id, rest.before, id, STEP);
      long least;
      boolean last;
      try (PreparedStatement statement = connection.prepareStatement(database.sql(sql));
          ResultSet row = statement.executeQuery()) {
        row.next();
        least = row.getLong(1);
        last = row.getLong(2) < STEP;
      }
      found.addAll(read(connection, rest, source.sql(rest, least)));
      if (last) {
        break;
      }
      rest = rest.below(least, page.most - found.size());
    }
    return found;
  }

  private static String anywhere(Page page, long least) {
    return page.part("id", "@job where id >= " + least + page.inLanes("lane"), "id");
  }

  private static String succeeded(Page page, long least) {
    return ended(page, JobState.SUCCEEDED, " and a.job_id >= " + least);
  }

  private static String ended(Page page, JobState state, String bound) {
    String lane =
        page.lanes
            ? " and exists (select from @job j where j.id = a.job_id" + page.inLanes("j.lane") + ")"
            : "";
    return page.part(
        "a.job_id",
        "@job_attempt a where a.outcome in ("
            + RunOutcomes.leadingTo(state)
            + ")"
            + bound
            + " and not exists (select from @job_attempt b"
            + " where b.job_id = a.job_id and b.run > a.run)"
            + lane,
        "a.job_id");
  }

  private static String candidates(Page page, JobState state) {
    return switch (state) {
      case READY -> ready(page);
      case SCHEDULED ->
          page.part("id", "@job_delayed where not retrying" + page.inLanes("lane"), "id")
              + " union all "
              + page.part(
                  "id",
                  "@job_wait w where not exists (select from @job_approval g where g.id = w.id)"
                      + page.inLanes("lane"),
                  "id");
      case RETRYING -> page.part("id", "@job_delayed where retrying" + page.inLanes("lane"), "id");
      case AWAITING_APPROVAL ->
          page.part("id", "@job_approval where true" + page.inLanes("lane"), "id");
      case RUNNING ->
          page.part(
              "u.id",
              "@job_claim c cross join lateral unnest(c.ids, c.lanes, c.runs) as u(id, lane, run)"
                  + " where not exists (select from @job_attempt a"
                  + " where a.job_id = u.id and a.run = u.run)"
                  + page.inLanes("abs(u.lane)"),
              "u.id");
      case DEAD -> page.part("id", "@job_dead where true" + page.inLanes("lane"), "id");
      case SUCCEEDED, CANCELLED, REJECTED, EXPIRED, UNKNOWN -> ended(page, state, "");
    };
  }

  /** Lane by lane, since that is how the index is ordered. */
  private static String ready(Page page) {
    return "(select x.id from lanes l cross join lateral ("
        + page.part("r.id", "@job_ready r where r.lane = l.id", "r.id")
        + " union all "
        + page.part("r.id", "@job_ready r where r.lane = -l.id", "r.id")
        + ") x order by x.id desc limit "
        + page.most
        + ") union all "
        + page.part("id", "@job_blocked where true" + page.inLanes("lane"), "id");
  }

  private List<Job> read(Connection connection, Page page, String candidates) throws SQLException {
    String sql =
        database.sql(
            "with lanes as materialized (select id from @job_lane"
                + " where (?::text is null or queue = ?) and (?::text is null or kind = ?)"
                + " and (?::text is null or tenant = ?)),"
                + " wanted(id) as materialized (select id from ("
                + candidates
                + ") c(id) order by id desc limit "
                + page.most
                + ")"
                + JobRow.select("null::bytea")
                + JobRow.FROM
                + " order by j.id desc");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Optional<String> name :
          List.of(page.filter.queue(), page.filter.kind(), page.filter.tenant())) {
        statement.setString(index++, name.orElse(null));
        statement.setString(index++, name.orElse(null));
      }
      return read(statement.executeQuery());
    }
  }

  private static List<Job> read(ResultSet rows) throws SQLException {
    List<Job> jobs = new ArrayList<>();
    try (ResultSet row = rows) {
      while (row.next()) {
        JobRow.read(row).toJob(List.of(), Optional.empty()).ifPresent(jobs::add);
      }
    }
    return jobs;
  }
}
