package dev.monotick.postgres.job;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.job.admin.FollowUps;
import dev.monotick.postgres.job.admin.JobControl;
import dev.monotick.postgres.job.admin.JobRuleChanges;
import dev.monotick.postgres.job.notify.JobStoreSignals;
import dev.monotick.postgres.job.row.JobFlags;
import dev.monotick.postgres.job.row.RunOutcomes;
import dev.monotick.postgres.job.view.JobReader;
import dev.monotick.postgres.schema.Migrations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** The tables of jobs on a real server, and short ways to put jobs into each place. */
public final class ManualJobs implements AutoCloseable, JobStoreSignals {

  public final TestDatabase test;
  final SchemaName schema;
  final KeptPool pool;
  public final Database database;
  public final JobControl control;
  public final JobReader reader;
  public final JobRuleChanges settings;
  public final List<JobId> ended = new CopyOnWriteArrayList<>();
  public final List<String> woken = new CopyOnWriteArrayList<>();
  private final Connection own; // kept, as connecting takes longer than most statements
  private long claims;

  public ManualJobs(int major) {
    test = TestDatabase.on(major);
    schema = new SchemaName(test.schema());
    Migrations.of(test::connect, schema).migrate();
    own = connect();
    pool = new KeptPool(test::connect, 20);
    database = new Database(pool, test::connect, schema);
    control = new JobControl(database, new FollowUps(database), this);
    reader = new JobReader(database);
    settings = new JobRuleChanges(database, this);
  }

  private Connection connect() {
    try {
      return test.connect();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void jobsEnded(Collection<JobId> ids) {
    ended.addAll(ids);
  }

  @Override
  public void queuesReady(Collection<String> queues) {
    woken.addAll(queues);
  }

  public synchronized void execute(String sql) {
    try (Statement statement = own.createStatement()) {
      statement.execute(database.sql(sql));
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** Returns all rows, their columns separated by bars. */
  public synchronized List<String> query(String sql) {
    try {
      return query(own, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  public List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(database.sql(sql))) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(String.valueOf(row.getString(i)));
        }
        rows.add(String.join("|", values));
      }
      return rows;
    }
  }

  public long number(String sql) {
    return Long.parseLong(query(sql).get(0));
  }

  public int lane(String queue, String kind, String tenant) {
    execute(
        "insert into @job_lane (queue, kind, tenant, priority) values ('%s', '%s', '%s', 5) on conflict do nothing"
            .formatted(queue, kind, tenant));
    return (int)
        number(
            "select id from @job_lane where queue = '%s' and kind = '%s' and tenant = '%s'"
                .formatted(queue, kind, tenant));
  }

  /** Adds a job that is nowhere yet, with these columns set besides. */
  public JobId job(int lane, String columns, String values) {
    return jobAt("clock_timestamp()", lane, columns, values);
  }

  public JobId job(int lane) {
    return job(lane, "", "");
  }

  JobId jobAt(String time, int lane, String columns, String values) {
    return new JobId(
        number(
            ("insert into @job (id, created_at, timeout_millis, lane, version, max_attempts,"
                    + " effect, payload%s) select @job_first_id(%s) | nextval('@job_number'), %s,"
                    + " 60000, %d, 1, 3, 0, 'hello'%s returning id")
                .formatted(prefixed(columns), time, time, lane, prefixed(values))));
  }

  private static String prefixed(String list) {
    return list.isEmpty() ? "" : ", " + list;
  }

  public JobId ready(int lane) {
    return ready(job(lane), lane, 0);
  }

  public JobId ready(JobId id, int lane, int flags) {
    execute(
        "insert into @job_ready (id, ready_at, lane, run, attempt, flags) values (%s, now(), %d, 0, 0, %d)"
            .formatted(id, lane, flags));
    counted(lane, "ready");
    return id;
  }

  public JobId delayed(JobId id, int lane, String due, boolean retrying) {
    execute(
        "insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying) values (%s, %s, %d, %d, %d, 0, %b)"
            .formatted(due, id, lane, retrying ? 1 : 0, retrying ? 1 : 0, retrying));
    counted(lane, "waiting");
    return id;
  }

  public JobId gated(JobId id, int lane, String due) {
    execute(
        "insert into @job_approval (id, due_at, lane, run, attempt, flags) values (%s, %s, %d, 0, 0, %d)"
            .formatted(id, due, lane, JobFlags.GATED | JobFlags.EXPIRES));
    counted(lane, "waiting");
    return id;
  }

  public JobId after(JobId id, int lane, int pending) {
    execute(
        "insert into @job_wait (id, lane, pending, flags, needs_success) values (%s, %d, %d, 0, true)"
            .formatted(id, lane, pending));
    counted(lane, "waiting");
    return id;
  }

  public JobId blocked(JobId id, int lane, int limit, String key) {
    execute(
        "insert into @job_blocked (limit_id, key, tenant, id, ready_at, lane, run, attempt, flags) values (%d, '%s', '', %s, now(), %d, 0, 0, 8)"
            .formatted(limit, key, id, lane));
    counted(lane, "ready");
    return id;
  }

  /** Has a replica take these jobs as one batch, each for the first time. */
  public void claimed(UUID replica, int lane, JobId... ids) {
    StringBuilder list = new StringBuilder();
    for (JobId id : ids) {
      list.append(list.length() == 0 ? "" : ",").append(id);
      counted(lane, "running");
    }
    execute(
        """
        insert into @job_claim (replica, number, ids, lanes, runs, attempts, flags)
        select '%s', %d, array_agg(id), array_agg(%d), array_agg(1), array_agg(1), array_agg(0)
          from unnest(array[%s]::bigint[]) as u(id)
        """
            .formatted(replica, ++claims, lane, list));
  }

  public UUID replica(String name) {
    UUID id = UUID.randomUUID();
    execute(
        "insert into @replica (id, name, version, started_at) values ('%s', '%s', '1', now())"
            .formatted(id, name));
    return id;
  }

  public JobId attempt(JobId id, int run, Outcome outcome) {
    return attemptAt("now()", id, run, outcome);
  }

  JobId attemptAt(String time, JobId id, int run, Outcome outcome) {
    execute(
        "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail) values (%s, %s, 5, %d, %d, %d, 'why')"
            .formatted(id, time, run, run, RunOutcomes.stored(outcome)));
    return id;
  }

  public JobId dead(JobId id, int lane) {
    attempt(id, 1, Outcome.DIED);
    execute(
        "insert into @job_dead (id, died_at, lane, run) values (%s, now(), %d, 1)"
            .formatted(id, lane));
    counted(lane, "dead");
    return id;
  }

  private void counted(int lane, String column) {
    execute(
        "insert into @job_count_delta select %d, %s"
            .formatted(
                lane,
                List.of("waiting", "ready", "running", "succeeded", "failed", "dead", "ended")
                    .stream()
                    .map(name -> name.equals(column) ? "1" : "0")
                    .collect(java.util.stream.Collectors.joining(", "))));
  }

  /** Returns waiting, ready, running, succeeded, failed, dead and ended of all lanes together. */
  public String counts() {
    return query(
            "select sum(waiting), sum(ready), sum(running), sum(succeeded), sum(failed), sum(dead),"
                + " sum(ended) from (select * from @job_count union all select * from @job_count_delta) c")
        .get(0);
  }

  /** Returns in which tables a job is. */
  public List<String> places(JobId id) {
    return query(
        """
        select 'ready ' || lane || ' ' || run || ' ' || attempt || ' ' || flags from @job_ready where id = %1$s
        union all select 'blocked' from @job_blocked where id = %1$s
        union all select 'delayed ' || retrying from @job_delayed where id = %1$s
        union all select 'gate ' || run || ' ' || attempt || ' ' || flags from @job_approval where id = %1$s
        union all select 'wait' from @job_wait where id = %1$s
        union all select 'dead' from @job_dead where id = %1$s
        """
            .formatted(id));
  }

  /** Returns run, attempt, outcome and detail of all ends of a job. */
  public List<String> attempts(JobId id) {
    return query(
            "select run, attempt, outcome, detail from @job_attempt where job_id = %s order by run"
                .formatted(id))
        .stream()
        .map(
            row -> {
              String[] parts = row.split("\\|", -1);
              return parts[0]
                  + " "
                  + parts[1]
                  + " "
                  + RunOutcomes.of(Integer.parseInt(parts[2]))
                  + " "
                  + parts[3];
            })
        .toList();
  }

  @Override
  public void close() {
    pool.close();
    try {
      own.close();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    test.close();
  }
}
