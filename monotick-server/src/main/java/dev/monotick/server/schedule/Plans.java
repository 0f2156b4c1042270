package dev.monotick.server.schedule;

import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.problem.Problem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Understands specs, and remembers those that fire again and again. Thread-safe. */
@Component
class Plans {

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
  record Understood(long version, ScheduleSpec spec, Plan plan) {}

  Plans(WorkTypes types, JsonMapper json) {
    this.types = types;
    this.json = json;
  }

  /** Understands what somebody wants; refuses, under the field's name, what cannot be. */
  Plan checked(String tenant, ScheduleSpec spec) {
    String name = spec.checkedName();
    return new Plan(
        spec.timing().schedule(tenant + "/" + name),
        spec.overlapPolicy(),
        spec.catchUpPolicy(),
        spec.failuresAllowed(),
        new Plan.Work.Job(spec.wanted().request(tenant, types)));
  }

  /**
   * Understands what was stored, maybe by another version of the server. A job that is no longer
   * understood does not keep the schedule from going on.
   *
   * @throws RuntimeException if not even its times are understood
   */
  Plan stored(StoredSchedule schedule) {
    return understood(schedule).plan();
  }

  /** The same with what it was understood from, for those who show it. */
  Understood understood(StoredSchedule schedule) {
    synchronized (remembered) {
      Understood known = remembered.get(schedule.id());
      if (known != null && known.version() == schedule.version()) {
        return known;
      }
    }
    ScheduleSpec spec = read(schedule.spec());
    Plan plan =
        new Plan(
            spec.timing().schedule(schedule.tenant() + "/" + schedule.name()),
            spec.overlapPolicy(),
            spec.catchUpPolicy(),
            spec.failuresAllowed(),
            work(schedule.tenant(), spec));
    Understood understood = new Understood(schedule.version(), spec, plan);
    if (plan.work() instanceof Plan.Work.Job) { // others may be understood later
      synchronized (remembered) {
        remembered.put(schedule.id(), understood);
      }
    }
    return understood;
  }

  /** The same for somebody who asks for it; refuses what is not understood. */
  Plan usable(StoredSchedule schedule) {
    try {
      return stored(schedule);
    } catch (RuntimeException e) {
      throw Problem.conflict(
          "not-understood", "this schedule is not understood, replace it first: " + e.getMessage());
    }
  }

  private Plan.Work work(String tenant, ScheduleSpec spec) {
    try {
      return new Plan.Work.Job(spec.wanted().request(tenant, types));
    } catch (Problem e) {
      return new Plan.Work.None(e.detail());
    }
  }

  ScheduleSpec read(String stored) {
    return json.readValue(stored, ScheduleSpec.class);
  }

  String write(ScheduleSpec spec) {
    return json.writeValueAsString(spec.stored());
  }
}
