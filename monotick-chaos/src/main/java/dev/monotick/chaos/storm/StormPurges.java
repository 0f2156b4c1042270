package dev.monotick.chaos.storm;

import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.schema.JobMaintenance;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Purges dead letters, and runs the upkeep of the tables, while replicas that had a run of these
 * jobs are stopped or cut off. What these replicas report later must not bring the jobs back. One
 * thread.
 *
 * <p>What the store knew of a purged job is kept, and put back before the rules are checked,
 * because they hold for purged jobs as well.
 */
final class StormPurges {

  private static final long EVERY_NANOS = Duration.ofMillis(500).toNanos();

  private static final String WANTED =
      """
      select distinct d.id from storm.job_dead d
        join storm.job_attempt a on a.job_id = d.id
        join watch.member m on m.id = a.replica
       where a.outcome = 6 and m.replica = any (?) and d.died_at > clock_timestamp() - interval '20 seconds'
       limit 100
      """;

  /** In this order, so that what is purged is on record if the process ends in between. */
  private static final List<String> KEEP =
      List.of(
          "insert into watch.purged_job select * from storm.job where id = any (?)",
          "insert into watch.purged_attempt select * from storm.job_attempt where job_id = any (?)",
          "insert into watch.purged_dead select * from storm.job_dead where id = any (?)",
          "insert into watch.purged (id, is_silent) select u.id, true from unnest(?) as u(id)");

  private static final String REVIVED =
      """
      select p.id || ' in ' || s.place from watch.purged p
        join (select id, 'job' as place from storm.job union all select id, 'job_ready' from storm.job_ready
              union all select id, 'job_delayed' from storm.job_delayed
              union all select id, 'job_blocked' from storm.job_blocked union all select id, 'job_wait' from storm.job_wait
              union all select id, 'job_dead' from storm.job_dead union all select job_id, 'job_limit_hold' from storm.job_limit_hold
              union all select job_id, 'job_unique' from storm.job_unique
              -- The end of a run stays for as long as a claim names the run.
              union all select a.job_id, 'job_attempt' from storm.job_attempt a
               where not exists (select from watch.purged_attempt b where b.job_id = a.job_id and b.run = a.run)) as s
          on s.id = p.id
      """;

  private static final List<String> PUT_BACK =
      List.of(
          "insert into storm.job overriding system value select * from watch.purged_job",
          "insert into storm.job_attempt overriding system value select * from watch.purged_attempt"
              + " on conflict do nothing",
          "insert into storm.job_dead overriding system value select * from watch.purged_dead");

  private final Connection connection;
  private final Jobs jobs;
  private final JobMaintenance maintenance;
  private long next = System.nanoTime();
  private int purged;
  private int upkeeps;

  /**
   * Creates one.
   *
   * @param connection in autocommit
   */
  StormPurges(Connection connection, Jobs jobs, JobMaintenance maintenance) {
    this.connection = connection;
    this.jobs = jobs;
    this.maintenance = maintenance;
  }

  /** Returns how many jobs were purged. */
  int purged() {
    return purged;
  }

  /** Returns how often the upkeep was run. */
  int upkeeps() {
    return upkeeps;
  }

  /**
   * Does what is due.
   *
   * @param silent names of the replicas that are stopped or cut off
   */
  void step(Set<String> silent) throws SQLException {
    if (silent.isEmpty() || System.nanoTime() - next < 0) {
      return;
    }
    next = System.nanoTime() + EVERY_NANOS;
    List<Long> wanted = wanted(silent);
    if (wanted.isEmpty()) {
      return;
    }
    for (String sql : KEEP) {
      change(sql, wanted);
    }
    Set<JobId> done = new TreeSet<>(jobs.purge(wanted.stream().map(JobId::new).toList()));
    if (done.size() != wanted.size()) {
      throw new IllegalStateException("dead letters were not purged: " + done + " of " + wanted);
    }
    purged += done.size();
    if (maintenance.run().worked()) {
      upkeeps++;
    }
  }

  private List<Long> wanted(Set<String> silent) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(WANTED)) {
      statement.setArray(1, connection.createArrayOf("text", silent.toArray()));
      List<Long> ids = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          ids.add(row.getLong(1));
        }
      }
      return ids;
    }
  }

  private void change(String sql, List<Long> ids) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Array array = connection.createArrayOf("int8", ids.toArray());
      statement.setArray(1, array);
      statement.executeUpdate();
    }
  }

  /** Returns what of purged jobs is in the store again. */
  static List<String> revived(Connection connection) throws SQLException {
    List<String> revived = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(REVIVED)) {
      while (row.next()) {
        revived.add(row.getString(1));
      }
    }
    return revived;
  }

  /** Puts back what the store knew of purged jobs. */
  static void putBack(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : PUT_BACK) {
        statement.executeUpdate(sql);
      }
    }
  }
}
