package dev.monotick.chaos.workload;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobRequest;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A job that is wanted.
 *
 * @param request how it is asked for
 * @param plan what it is going to do
 * @param unique its unique key, within its tenant; null if it has none
 * @param limit its key of a limit; null if it has none
 */
public record JobPlanOrder(
    JobRequest<String> request, JobPlan plan, @Nullable String unique, @Nullable String limit) {

  private static final int KEYS = 60;

  /** Few, so that they are often taken. */
  private static final int UNIQUE_KEYS = 12;

  /** Milliseconds a job may take; less where few can run at a time. */
  private static final int LONGEST = 1800;

  private static final int LONGEST_LIMITED = 300;

  private static final int LONGEST_ONCE = 1200;
  private static final String[] TENANTS = {"", "", "acme", "zeta"};

  /** Makes one up. */
  public static JobPlanOrder random(SplittableRandom random) {
    JobKind<String> kind = kind(random.nextInt(100));
    JobPlan plan =
        kind == PlannedJobKinds.ONCE
            ? JobPlan.once(random, LONGEST_ONCE)
            : JobPlan.random(random, kind == PlannedJobKinds.LIMITED ? LONGEST_LIMITED : LONGEST);
    String tenant = TENANTS[random.nextInt(TENANTS.length)];
    JobRequest<String> request = kind.of(plan.text()).priority(3 + 2 * random.nextInt(3));
    if (!tenant.isEmpty()) {
      request = request.tenant(tenant);
    }
    if (random.nextInt(100) < 10) {
      request = request.delay(Duration.ofMillis(random.nextInt(500)));
    }
    String key = "k" + random.nextInt(kind == PlannedJobKinds.UNIQUE ? UNIQUE_KEYS : KEYS);
    if (kind == PlannedJobKinds.UNIQUE) {
      // A key is unique within its tenant.
      return new JobPlanOrder(
          request.uniqueKey(key).header(PlannedJobKinds.KEY, key), plan, tenant + "/" + key, null);
    } else if (kind == PlannedJobKinds.KEYED) {
      return new JobPlanOrder(
          request.limitKey(key).header(PlannedJobKinds.KEY, key), plan, null, key);
    }
    return new JobPlanOrder(request, plan, null, null);
  }

  /** Makes one up that may be handed to a worker by whoever adds it: it excludes no others. */
  public static JobPlanOrder plain(SplittableRandom random) {
    JobPlan plan = JobPlan.random(random, LONGEST);
    return new JobPlanOrder(PlannedJobKinds.PLAIN.of(plan.text()), plan, null, null);
  }

  private static JobKind<String> kind(int percent) {
    if (percent < 55) {
      return PlannedJobKinds.PLAIN;
    } else if (percent < 72) {
      return PlannedJobKinds.UNIQUE;
    } else if (percent < 76) {
      return PlannedJobKinds.LIMITED;
    } else if (percent < 86) {
      return PlannedJobKinds.KEYED;
    } else if (percent < 96) {
      return PlannedJobKinds.EXACT;
    }
    return PlannedJobKinds.ONCE;
  }
}
