package dev.monotick.chaos.workload;

import dev.monotick.chaos.workload.PlannedJobKinds.PermanentFailure;
import dev.monotick.chaos.workload.PlannedJobKinds.PlannedFailure;
import dev.monotick.error.FencedException;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobOutcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Does what a job's plan says, and writes it down: {@code begin}, and right before it returns or
 * throws, a word for that.
 */
public final class PlannedJobHandler implements JobHandler<String> {

  private final RunLog log;
  private final DataSource dataSource;

  /**
   * Creates one.
   *
   * @param dataSource for effects, which commit with the success of their jobs
   */
  public PlannedJobHandler(RunLog log, DataSource dataSource) {
    this.log = log;
    this.dataSource = dataSource;
  }

  @Override
  public JobOutcome run(JobContext<String> job) throws Exception {
    log.begin(job);
    JobPlan plan = JobPlan.parse(job.payload());
    try {
      job.sleep(Duration.ofMillis(plan.millis()));
    } catch (InterruptedException e) {
      log.write(job, "interrupted");
      throw e;
    }
    JobPlan.Step step = plan.step(job.attempt(), job.run());
    if (job.lane().kind().equals(PlannedJobKinds.EXACT.name())
        && (step == JobPlan.Step.SUCCEED || step == JobPlan.Step.THROW)) {
      return transact(job, step);
    }
    return end(job, step);
  }

  private JobOutcome end(JobContext<String> job, JobPlan.Step step) {
    switch (step) {
      case SUCCEED -> {
        log.write(job, "done");
        return JobOutcome.done();
      }
      case THROW -> {
        log.write(job, "threw");
        throw new PlannedFailure("planned");
      }
      case FAIL -> {
        log.write(job, "failed");
        return JobOutcome.retryAfter(Duration.ofMillis(50 + job.id().value() % 151), "planned");
      }
      case THROW_FOR_GOOD -> {
        log.write(job, "threw for good");
        throw new PermanentFailure("planned for good");
      }
      case FAIL_FOR_GOOD -> {
        log.write(job, "failed for good");
        return JobOutcome.fail("planned for good");
      }
      case SNOOZE -> {
        log.write(job, "snoozed");
        return JobOutcome.snooze(Duration.ofMillis(100));
      }
    }
    throw new IllegalStateException("no such step: " + step);
  }

  /** The effect is written either way; it must be there only if the job has succeeded. */
  private JobOutcome transact(JobContext<String> job, JobPlan.Step step) throws SQLException {
    try {
      job.transaction(
          dataSource,
          connection -> {
            insert(connection, job);
            end(job, step);
          });
      return JobOutcome.done();
    } catch (PlannedFailure e) {
      throw e;
    } catch (FencedException e) {
      log.write(job, "fenced");
      throw e;
    } catch (SQLException | RuntimeException e) {
      log.write(job, "undone");
      throw e;
    }
  }

  private static void insert(Connection connection, JobContext<String> job) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into watch.effect (job, run) values (?, ?)")) {
      statement.setLong(1, job.id().value());
      statement.setInt(2, job.run());
      statement.executeUpdate();
    }
  }
}
