package dev.monotick.server.schedule.spec;

import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.problem.Problem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Understands specs, and remembers those that fire again and again. Thread-safe. */
@Component
public class ScheduleSpecCache {

  private static final int MOST_REMEMBERED = 20_000;

  private final WorkTypes types;
  private final JsonMapper json;
  private final Map<UUID, Understood> remembered =
      new LinkedHashMap<>(16, 0.75f, true) { // guarded by itself
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Understood> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  /**
   * A stored schedule.
   *
   * @param version which version of it
   * @param spec what somebody wants
   * @param plan what that means
   */
  public record Understood(long version, ScheduleSpec spec, SchedulePlan plan) {}

  ScheduleSpecCache(WorkTypes types, JsonMapper json) {
    this.types = types;
    this.json = json;
  }

  /** Understands what somebody wants; refuses, under the field's name, what cannot be. */
  public SchedulePlan checked(String tenant, ScheduleSpec spec) {
    String name = spec.checkedName();
    return new SchedulePlan(
        spec.timing().schedule(tenant + "/" + name),
        spec.overlapPolicy(),
        spec.catchUpPolicy(),
        spec.failuresAllowed(),
        new SchedulePlan.Work.Job(spec.wanted().request(tenant, types)));
  }

  /**
   * Understands what was stored, maybe by another version of the server. A job that is no longer
   * understood does not keep the schedule from going on.
   *
   * @throws RuntimeException if not even its times are understood
   */
  public SchedulePlan stored(ScheduleRow schedule) {
    return understood(schedule).plan();
  }

  /** The same with what it was understood from, for those who show it. */
  public Understood understood(ScheduleRow schedule) {
    synchronized (remembered) {
      Understood known = remembered.get(schedule.id());
      if (known != null && known.version() == schedule.version()) {
        return known;
      }
    }
    ScheduleSpec spec = read(schedule.spec());
    SchedulePlan plan =
        new SchedulePlan(
            spec.timing().schedule(schedule.tenant() + "/" + schedule.name()),
            spec.overlapPolicy(),
            spec.catchUpPolicy(),
            spec.failuresAllowed(),
            work(schedule.tenant(), spec));
    Understood understood = new Understood(schedule.version(), spec, plan);
    if (plan.work() instanceof SchedulePlan.Work.Job) { // others may be understood later
      synchronized (remembered) {
        remembered.put(schedule.id(), understood);
      }
    }
    return understood;
  }

  /** The same for somebody who asks for it; refuses what is not understood. */
  public SchedulePlan usable(ScheduleRow schedule) {
    try {
      return stored(schedule);
    } catch (RuntimeException e) {
      throw Problem.conflict(
          "not-understood", "this schedule is not understood, replace it first: " + e.getMessage());
    }
  }

  private SchedulePlan.Work work(String tenant, ScheduleSpec spec) {
    try {
      return new SchedulePlan.Work.Job(spec.wanted().request(tenant, types));
    } catch (Problem e) {
      return new SchedulePlan.Work.None(e.detail());
    }
  }

  public ScheduleSpec read(String stored) {
    return json.readValue(stored, ScheduleSpec.class);
  }

  public String write(ScheduleSpec spec) {
    return json.writeValueAsString(spec.stored());
  }
}
