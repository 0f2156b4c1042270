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

      everyGroupOfRulesNoticesWhatItIsFor(server);
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
          "insert into storm.job_delta select lane, 0, 1, 0, 0, 0, 0, 0 from storm.job limit 1");
    }
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
