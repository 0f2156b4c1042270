package dev.monotick.server.schedule;

import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestBodies;
import dev.monotick.server.schedule.ScheduleRecords.Locked;
import dev.monotick.server.schedule.spec.MergePatch;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.web.EntityTags;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Changes what schedules are; each change is one transaction, with its entry in the audit. */
@Component
class ScheduleEdits {

  private final Sql sql;
  private final ScheduleRecords schedules;
  private final ScheduleSpecCache plans;
  private final EditChecks guards;
  private final JsonMapper json;

  /**
   * What every change goes past.
   *
   * @param quotas what a tenant may have
   * @param audit who did it
   */
  record EditChecks(Quotas quotas, AuditTrail audit) {}

  ScheduleEdits(
      Sql sql,
      ScheduleRecords schedules,
      ScheduleSpecCache plans,
      EditChecks guards,
      JsonMapper json) {
    this.sql = sql;
    this.schedules = schedules;
    this.plans = plans;
    this.guards = guards;
    this.json = json;
  }

  /** Adds a schedule; part of a transaction that is open. */
  UUID create(Caller caller, ScheduleSpec spec) {
    SchedulePlan plan = plans.checked(caller.tenant(), spec);
    guards.quotas().require(caller.tenant(), Quota.SCHEDULES, 1);
    UUID id =
        schedules
            .insert(caller, spec, first(spec, plan, schedules.now()))
            .orElseThrow(() -> nameTaken(spec));
    guards
        .audit()
        .append(
            AuditEntry.by(
                caller,
                "schedule_created",
                "schedule/" + id,
                Map.of("name", spec.checkedName(), "times", plan.times().toString())));
    return id;
  }

  /**
   * Replaces what a schedule is. From now on it is due by its new times; if they are the same as
   * before, a tick that is just due stays so.
   */
  void replace(
      Caller caller, String id, @Nullable String ifMatch, UnaryOperator<ScheduleSpec> change) {
    try {
      sql.inTransaction(() -> replaceLocked(caller, schedules.lock(caller, id), ifMatch, change));
    } catch (DuplicateKeyException e) {
      throw Problem.conflict(
              "name-taken", "this tenant has another schedule of that name; choose another")
          .with("field", "name");
    }
  }

  private void replaceLocked(
      Caller caller, Locked locked, @Nullable String ifMatch, UnaryOperator<ScheduleSpec> change) {
    EntityTags.require(ifMatch, locked.stored().version());
    ScheduleSpec before = before(locked.stored());
    ScheduleSpec after = change.apply(before.shown(locked.stored().enabled()));
    SchedulePlan plan = plans.checked(caller.tenant(), after);
    boolean same =
        before.timing().equals(after.timing())
            && locked.stored().name().equals(after.checkedName())
            && locked.stored().enabled() == after.isEnabled(locked.stored().enabled());
    Optional<Instant> next =
        same ? locked.stored().nextAt() : Optional.of(first(after, plan, locked.now()));
    schedules.replace(caller, locked, after, next);
    guards
        .audit()
        .append(
            AuditEntry.by(
                caller,
                "schedule_changed",
                locked.stored().subject(),
                Map.of(
                    "name", after.checkedName(),
                    "times", plan.times().toString(),
                    "version", locked.stored().version() + 1)));
  }

  /** What it is now; nothing of it if not even that is understood, so that it can be replaced. */
  private ScheduleSpec before(ScheduleRow stored) {
    try {
      return plans.read(stored.spec());
    } catch (RuntimeException e) {
      return json.readValue("{}", ScheduleSpec.class);
    }
  }

  /** Returns a spec with a merge patch applied. */
  ScheduleSpec patched(ScheduleSpec before, JsonNode patch) {
    JsonNode merged = MergePatch.apply(json.valueToTree(before), patch);
    return RequestBodies.read(json, "", merged, ScheduleSpec.class);
  }

  void delete(Caller caller, String id, @Nullable String ifMatch) {
    sql.inTransaction(
        () -> {
          Locked locked = schedules.lock(caller, id);
          EntityTags.require(ifMatch, locked.stored().version());
          schedules.delete(locked);
          guards
              .audit()
              .append(
                  AuditEntry.by(
                      caller,
                      "schedule_deleted",
                      locked.stored().subject(),
                      Map.of("name", locked.stored().name())));
        });
  }

  private static Instant first(ScheduleSpec spec, SchedulePlan plan, Instant now) {
    return plan.times()
        .next(now)
        .orElseThrow(
            () -> {
              String field = spec.at() != null ? "at" : spec.until() != null ? "until" : "cron";
              return Problem.invalid(
                  field, field + " leaves no time after now (" + now + "); choose a later one");
            });
  }

  private static Problem nameTaken(ScheduleSpec spec) {
    return Problem.conflict(
            "name-taken",
            "this tenant has a schedule " + spec.name() + " already; choose another name")
        .with("field", "name");
  }
}
