package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.EnqueueRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs with low numbers that appear late are found, whatever was claimed before. */
@Tag("thorough")
final class SkippedJobsTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  @Timeout(60)
  void aJobThatIsCommittedLongAfterYoungerOnesWereClaimedIsFound() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(draft("late"))));
      for (int i = 0; i < 300; i++) { // long enough for hints to go on
        fixture.add(1);
        fixture.finishAll(fixture.claim(5));
      }
      connection.commit();
      assertThat(claimUntil(1)).extracting(JobFixture::text).containsExactly("late");
    }
  }

  @Test
  @Timeout(60)
  void manyJobsThatAreCommittedAfterAYoungerOneWasClaimedAreClaimedOneTurnAfterTheOther()
      throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(JobFixture.drafts(100)));
      fixture.add(1);
      assertThat(fixture.claim(5)).hasSize(1);
      connection.commit();
      assertThat(claimUntil(10)).hasSize(10);
      for (int left = 90; left > 0; left -= 10) {
        assertThat(fixture.claim(10)).hasSize(10); // none of them has to wait for a look back
      }
    }
  }

  @Test
  @Timeout(60)
  void aJobIsFoundSoonThatWasAddedWhenNoYoungerTransactionHadEnded() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(draft("late"))));
      assertThat(fixture.claim(5)).isEmpty();
      assertThat(fixture.claim(5)).isEmpty(); // what is settled may grow from turn to turn
      fixture.add(1);
      assertThat(fixture.claim(5)).hasSize(1);
      // Until its number is older than what is looked at in any case.
      fixture.query("select pg_sleep(0.15)");
      fixture.add(1);
      assertThat(fixture.claim(5)).hasSize(1);
      connection.commit();
      long committed = System.nanoTime();
      List<String> found = new ArrayList<>();
      while (!found.contains(
          "late")) { // busy, so that nothing is looked at only because it is idle
        fixture.add(1);
        fixture.claim(5).stream().map(JobFixture::text).forEach(found::add);
      }
      // A tenth of a second is meant; ten seconds it took.
      assertThat(System.nanoTime() - committed).isLessThan(5_000_000_000L);
    }
  }

  @Test
  @Timeout(60)
  void jobsOfAClaimThatWasRolledBackAreFoundByThoseWhoWentOn() throws SQLException {
    fixture.add(20);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      assertThat(
              fixture.query(
                  connection,
                  "select id from @job_ready order by id limit 10 for update skip locked"))
          .hasSize(10);
      assertThat(fixture.claim(20)).hasSize(10);
      connection.rollback();
    }
    assertThat(claimUntil(10)).hasSize(10);
  }

  @Test
  void aSnapshotThatIsHeldHidesNothing() throws SQLException {
    fixture.add(10);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(fixture.query(connection, "select count(*) from @job_ready"))
          .containsExactly("10");
      for (int i = 0; i < 20; i++) {
        fixture.add(50);
        fixture.finishAll(fixture.claim(50));
      }
      assertThat(fixture.claim(50)).hasSize(10);
      assertThat(fixture.counts()).isEqualTo("0 0 10 1000 0 0 0");
    }
  }

  private List<ClaimedJob> claimUntil(int count) {
    List<ClaimedJob> claimed = new ArrayList<>();
    while (claimed.size() < count) {
      claimed.addAll(fixture.claim(count));
    }
    return claimed;
  }
}
