package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.FencedException;
import dev.monotick.spi.job.ClaimedJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Work that commits together with the end of its run. */
@Tag("thorough")
final class TransactTest {

  private final JobFixture fixture = new JobFixture();
  private final PGSimpleDataSource dataSource = new PGSimpleDataSource();

  @BeforeEach
  void prepare() {
    dataSource.setUrl(fixture.database.url());
    dataSource.setUser(fixture.database.user());
    dataSource.setPassword(fixture.database.password());
    fixture.execute("create table @effect (text text)");
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void theEffectAndTheSuccessAreCommittedTogether() throws SQLException {
    fixture.add(1);
    ClaimedJob job = fixture.claim(1).get(0);
    fixture.jobs.transact(fixture.replica, success(job), dataSource, this::effect);
    assertThat(fixture.query("select text from @effect")).containsExactly("done");
    assertThat(fixture.outcomes(job.id().value())).containsExactly("1 1 0");
    assertThat(fixture.counts()).isEqualTo("0 0 0 1 0 0 0");
    assertThat(fixture.finish(success(job))).as("reported again").containsExactly(true);
    fixture.add(1);
    fixture.claim(1);
    fixture.claim(0);
    assertThat(fixture.query("select number from @job_claim"))
        .as("only the newest is kept")
        .hasSize(1);
    assertThatThrownBy(
            () -> fixture.jobs.transact(fixture.replica, success(job), dataSource, this::effect))
        .isInstanceOf(FencedException.class);
    assertThat(fixture.query("select text from @effect")).containsExactly("done");
  }

  @Test
  void workThatThrowsLeavesNothing() {
    fixture.add(1);
    ClaimedJob job = fixture.claim(1).get(0);
    assertThatThrownBy(
            () ->
                fixture.jobs.transact(
                    fixture.replica,
                    success(job),
                    dataSource,
                    connection -> {
                      effect(connection);
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(fixture.query("select text from @effect")).isEmpty();
    assertThat(fixture.finish(success(job))).containsExactly(true);
  }

  @Test
  void aRunThatWasRescuedDuringItsWorkIsRolledBack() {
    fixture.add(1);
    ClaimedJob job = fixture.claim(1).get(0);
    assertThatThrownBy(
            () ->
                fixture.jobs.transact(
                    fixture.replica,
                    success(job),
                    dataSource,
                    connection -> {
                      effect(connection);
                      fixture.declareGone(fixture.replica);
                      assertThat(fixture.jobs.rescue()).isEqualTo(1);
                    }))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("is no longer this replica's");
    assertThat(fixture.query("select text from @effect")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
  }

  @Test
  void workThatWasCommittedIsNotRescued() throws SQLException {
    fixture.add(1);
    ClaimedJob job = fixture.claim(1).get(0);
    fixture.jobs.transact(fixture.replica, success(job), dataSource, this::effect);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isZero();
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 0 1 0 0 0");
  }

  private void effect(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(fixture.resolve("insert into @effect values ('done')"));
    }
  }
}
