package dev.monotick.server.schedule.spec;

import dev.monotick.job.JobRequest;
import dev.monotick.schedule.Schedule;
import dev.monotick.server.problem.Problem;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Overlap;

/**
 * A spec that was understood.
 *
 * @param times when
 * @param onOverlap what if the one before has not ended
 * @param catchUp what if nobody was there
 * @param failures after how many in a row it pauses
 * @param work what to do
 */
public record SchedulePlan(
    Schedule times, Overlap onOverlap, CatchUp catchUp, int failures, Work work) {

  /** Says whether its next time is known only when the job of the one before has ended. */
  public boolean followsEnds() {
    return times.anchor() == Schedule.Anchor.LAST_END;
  }

  /** What a tick makes. */
  public sealed interface Work {

    /** Such a job. */
    record Job(JobRequest<?> request) implements Work {}

    /** Nothing: what it says is no longer understood. */
    record None(String why) implements Work {}
  }

  /** Returns the job to be made. */
  public JobRequest<?> request() {
    if (work instanceof Work.Job job) {
      return job.request();
    }
    throw Problem.conflict(
        "job-not-understood",
        "this schedule's job is no longer understood: "
            + (work instanceof Work.None none ? none.why() : ""));
  }
}
