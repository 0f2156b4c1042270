package dev.monotick.chaos.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.cluster.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class JobStormTest {

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  @Timeout(600)
  void noJobIsLostOrDoneTwiceWhileWorkersAreKilledAndStopped() throws Exception {
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"))) {
      StormResult result =
          new JobStorm(new StormSettings(10_000, 3, 7, false), server, folder, line -> {}).run();

      assertThat(result.complaints()).as(result.line()).isEmpty();
      assertThat(result.jobs()).isEqualTo(10_000);
      assertThat(result.runs()).isGreaterThan(10_000);

      aPurgedJobThatIsThereAgainIsFound(server);
      everyGroupOfRulesNoticesWhatItIsFor(server);
      aHandlerThatBeginsAfterTheEndOfItsJobIsFound(server);
    }
  }

  private static void aPurgedJobThatIsThereAgainIsFound(EmbeddedServer server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("truncate watch.purged"); // those of the storm were put back
      assertThat(StormPurges.revived(connection)).isEmpty();
      statement.execute("insert into watch.purged select min(id), true from storm.job_dead");
      assertThat(StormPurges.revived(connection)).hasSizeGreaterThan(1);
      connection.rollback();
    }
  }

  /** The rules are worth as much as what they find: so each group is given something to find. */
  private static void everyGroupOfRulesNoticesWhatItIsFor(EmbeddedServer server)
      throws SQLException {
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      assertFound(
          connection,
          StormRules.LOST,
          "delete from storm.job_attempt where job_id = (select min(id) from watch.job)");
      assertFound(
          connection,
          StormRules.TWICE,
          "insert into watch.effect select * from watch.effect limit 1");
      assertFound(
          connection,
          StormRules.TWICE,
          "insert into watch.run (job, run, attempt, replica, kind, word)"
              + " select job, run, attempt, 'another', kind, word from watch.run"
              + " where word = 'begin' limit 1");
      assertFound(
          connection,
          StormRules.ATTEMPTS,
          "update watch.run set word = 'failed' where number ="
              + " (select min(w.number) from watch.run w join storm.job_attempt a"
              + " on a.job_id = w.job and a.run = w.run and a.outcome = 0 where w.word = 'done')");
      assertFound(
          connection,
          StormRules.ATTEMPTS,
          "delete from storm.job_attempt where (job_id, run) ="
              + " (select job_id, run from storm.job_attempt where outcome = 1 limit 1)");
      assertFound(
          connection,
          StormRules.ATTEMPTS,
          "with job as (select job_id from storm.job_attempt where outcome = 6"
              + " group by job_id having count(*) = 1 limit 1)"
              + " update storm.job_attempt a set outcome = 7 from job"
              + " where a.job_id = job.job_id and a.outcome = 6");
      assertFound(
          connection,
          StormRules.ONCE,
          "insert into watch.run (job, run, attempt, replica, kind, word)"
              + " select job, run + 1, attempt, 'another', kind, word from watch.run"
              + " where kind = 'once' and word = 'begin' limit 1");
      assertFound(
          connection,
          StormRules.ONCE,
          "update storm.job_attempt set outcome = 6 where (job_id, run) ="
              + " (select job, run from watch.run where kind = 'once' and word = 'done' limit 1)");
      assertFound(
          connection,
          StormRules.ONCE,
          "update storm.job_attempt set outcome = 8, started_at = null where job_id ="
              + " (select min(job) from watch.run where kind = 'once' and word = 'done')");
      assertFound(
          connection,
          StormRules.ONCE,
          "update storm.job_attempt set outcome = 8 where job_id ="
              + " (select min(job) from watch.run where kind = 'plain' and word = 'done')");
      assertFound(
          connection,
          StormRules.UNIQUE,
          "update watch.job set known_at = '2000-01-01' where kind = 'unique'");
      assertFound(
          connection,
          StormRules.LIMIT,
          "update watch.claim set at = at - interval '10 seconds' where job in"
              + " (select id from watch.job where kind = 'limited')"
              + " and run = 1");
      assertFound(
          connection,
          StormRules.LIMIT,
          "update watch.run set at = at - interval '10 seconds' where kind = 'keyed'"
              + " and word = 'begin' and run = 1");
      assertFound(
          connection,
          StormRules.CANCEL,
          "insert into watch.cancel select job_id, true from storm.job_attempt where outcome = 0"
              + " limit 1");
      assertFound(
          connection,
          StormRules.CANCEL,
          "update storm.job_attempt set outcome = 9 where outcome = 0");
      assertFound(
          connection,
          StormRules.COUNTS,
          "insert into storm.job_count_delta select lane, 0, 1, 0, 0, 0, 0, 0 from storm.job limit 1");
    }
  }

  /**
   * A job was handed to a worker that could not hear of it, rescued, and done by another. 2.3 s
   * later the first one hears of it and begins.
   */
  private static void aHandlerThatBeginsAfterTheEndOfItsJobIsFound(EmbeddedServer server)
      throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "create temporary table late on commit drop as"
              + " select r.job_id as job, r.run, r.attempt, s.ended_at + interval '2.3 s' as at"
              + " from storm.job_attempt r join storm.job_attempt s on s.job_id = r.job_id"
              + " join watch.job j on j.id = r.job_id"
              + " where r.outcome = 6 and s.outcome = 0 and j.kind = 'plain' limit 1");
      statement.execute(
          "delete from watch.run r using late l where r.job = l.job and r.run = l.run");
      assertThat(
              statement.executeUpdate(
                  "insert into watch.run (at, job, run, attempt, replica, kind, word, begun_at)"
                      + " select at, job, run, attempt, 'late', 'plain', 'begin', at from late"))
          .as("runs that were rescued, of jobs that succeeded later")
          .isEqualTo(1);
      assertThat(StormCheck.of(connection, StormTables.STORE, true).violations())
          .hasSize(2)
          .anySatisfy(
              text ->
                  assertThat(text)
                      .startsWith(
                          "began_after_end: handler began after the end of its job, 1 times")
                      .contains("on late, 00:00:02.3"))
          .anySatisfy(
              text ->
                  assertThat(text)
                      .startsWith("began_after_end: handler began after others had ended its run"));

      // Frozen since after the end: it must have looked before, and had the time to act.
      freeze(statement, "at - interval '2 s'");
      assertThat(StormCheck.of(connection, StormTables.STORE, true).violations()).hasSize(2);

      // Frozen long before it began.
      freeze(statement, "at - interval '1 hour', at - interval '59 minutes'");
      assertThat(StormCheck.of(connection, StormTables.STORE, true).violations()).hasSize(2);

      // Frozen in between, but it went on longer before it began than a thread needs for that.
      freeze(statement, "at - interval '20 s', at - interval '0.4 s'");
      assertThat(StormCheck.of(connection, StormTables.STORE, true).violations()).hasSize(2);

      // Frozen in between.
      freeze(statement, "at - interval '20 s'");
      assertThat(StormCheck.of(connection, StormTables.STORE, true).violations()).isEmpty();
      connection.rollback();
    }
  }

  private static void freeze(Statement statement, String fromUntil) throws SQLException {
    String times = fromUntil.contains(",") ? fromUntil : fromUntil + ", at - interval '0.1 s'";
    statement.executeUpdate(
        "insert into watch.frozen (replica, why, from_at, until_at) select 'late', 'test', "
            + times
            + " from late");
  }

  private static void assertFound(Connection connection, String group, String sabotage)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sabotage)).as(sabotage).isPositive();
    }
    assertThat(StormCheck.of(connection, StormTables.STORE, true).found().get(group))
        .as(sabotage)
        .isPositive();
    connection.rollback();
  }
}
