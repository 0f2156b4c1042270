package dev.monotick.server.schedule.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.monotick.schedule.Cron;
import dev.monotick.server.job.intake.JobSpec;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Overlap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as somebody wants it and as it is stored: when, what, and what if. Only {@code name},
 * one of {@code cron}, {@code every}, {@code fixedDelay} and {@code at}, and {@code job} must be
 * given.
 *
 * @param name what people call it; one of a tenant has it
 * @param about a line for people
 * @param enabled whether it is due at all; what it was before, or true, if not given
 * @param cron see {@link ScheduleTiming}, as for all up to {@code exclusions}
 * @param onOverlap what happens to a tick if the job of the one before it has not ended
 * @param catchUp what happens to ticks that were due while nobody was there
 * @param pauseAfterFailures after how many failures in a row it pauses
 * @param job what each tick makes
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduleSpec(
    @Nullable String name,
    @Nullable String about,
    @Nullable Boolean enabled,
    @Nullable String cron,
    @Nullable String zone,
    Cron.@Nullable Gap gap,
    Cron.@Nullable Overlap overlap,
    @Nullable String every,
    @Nullable String fixedDelay,
    @Nullable String at,
    @Nullable String from,
    @Nullable String until,
    @Nullable List<String> exclusions,
    @Nullable Overlap onOverlap,
    @Nullable CatchUpSpec catchUp,
    @Nullable Integer pauseAfterFailures,
    @Nullable JobSpec job) {

  /** After so many failures in a row a schedule pauses unless it says otherwise. */
  public static final int USUAL_FAILURES = 10;

  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_ABOUT = 1_000;

  public ScheduleTiming timing() {
    return new ScheduleTiming(
        cron, zone, gap, overlap, every, fixedDelay, at, from, until, exclusions);
  }

  Overlap overlapPolicy() {
    return onOverlap == null ? Overlap.SKIP : onOverlap;
  }

  CatchUp catchUpPolicy() {
    return catchUp == null ? CatchUp.ofDefaults() : catchUp.policy();
  }

  public int failuresAllowed() {
    return RequestFields.number("pauseAfterFailures", pauseAfterFailures, USUAL_FAILURES, 1, 1_000);
  }

  JobSpec wanted() {
    return RequestFields.required("job", job);
  }

  public String checkedName() {
    if (about != null && about.length() > LONGEST_ABOUT) {
      throw Problem.invalid(
          "about", "about must be at most " + LONGEST_ABOUT + " long, but was " + about.length());
    }
    return RequestFields.name("name", name, LONGEST_NAME);
  }

  /** Returns it without what is stored elsewhere. */
  ScheduleSpec stored() {
    return withEnabled(null);
  }

  /** Returns it with what is stored elsewhere. */
  public ScheduleSpec shown(boolean isEnabled) {
    return withEnabled(isEnabled);
  }

  /** Says whether it is to be enabled, given whether it is. */
  public boolean isEnabled(boolean before) {
    return Optional.ofNullable(enabled).orElse(before);
  }

  private ScheduleSpec withEnabled(@Nullable Boolean now) {
    return new ScheduleSpec(
        name,
        about,
        now,
        cron,
        zone,
        gap,
        overlap,
        every,
        fixedDelay,
        at,
        from,
        until,
        exclusions,
        onOverlap,
        catchUp,
        pauseAfterFailures,
        job);
  }
}
