package dev.monotick.server.schedule.fire;

import dev.monotick.error.StoreException;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.schedule.fire.FiringStore.Claimed;
import dev.monotick.server.schedule.fire.FiringStore.Open;
import dev.monotick.server.schedule.fire.FiringStore.TickKey;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.trace.Tracing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Fires schedules. A look is one short transaction: due schedules are locked, their ticks put into
 * the ledger, their jobs enqueued and their next times set, all or nothing. So one tick is one job,
 * however many replicas look and whichever of them die: what is not committed never was, what is
 * committed is not due any more, and the ledger's key refuses the rest.
 *
 * <p>Rows are locked in this order: schedules, tenants (by quotas), the ends of audit chains. All
 * who lock more than one of these keep to it.
 */
@Component
public class ScheduleFirer {

  private static final Logger log = LoggerFactory.getLogger(ScheduleFirer.class);

  private final Sql sql;
  private final FiringStore ledger;
  private final ScheduleSpecCache plans;
  private final Quotas quotas;
  private final FiringEffects effects;

  /**
   * What follows from a look.
   *
   * @param jobs for workers
   * @param audit for those who ask later
   * @param tracing for those who follow a job
   */
  public record FiringEffects(Jobs jobs, AuditTrail audit, Tracing tracing) {

    /** Adds jobs in the open transaction. */
    public List<Enqueued> enqueue(Sql sql, List<JobRequest<?>> requests) {
      return tracing.adding(
          requests, traced -> sql.onConnection(connection -> jobs.enqueue(connection, traced)));
    }
  }

  ScheduleFirer(
      Sql sql,
      FiringStore ledger,
      ScheduleSpecCache plans,
      Quotas quotas,
      FiringEffects aftermath) {
    this.sql = sql;
    this.ledger = ledger;
    this.plans = plans;
    this.quotas = quotas;
    this.effects = aftermath;
  }

  /** Fires up to so many schedules that are due, and returns how many were. */
  int fire(int limit, String replica) {
    List<Claimed> claimed = new ArrayList<>();
    try {
      boolean jobs = sql.transaction(() -> fireClaimed(limit, replica, claimed));
      if (jobs) {
        effects.jobs().notifyWorkers();
      }
      return claimed.size();
    } catch (RuntimeException e) {
      if (claimed.isEmpty() || isNobodysFault(e)) {
        throw e; // nothing was done, or all; the next look will see
      }
      if (claimed.size() == 1) {
        blame(claimed.get(0).schedule(), e);
        return 1;
      }
      log.warn(
          "firing {} schedules at once failed, now one by one: {}", claimed.size(), e.toString());
      int fired = 0;
      for (int i = 0; i < claimed.size(); i++) {
        fired += fire(1, replica);
      }
      return fired;
    }
  }

  /** The database was away or busy, or ended a transaction that took too long, or was late. */
  private static boolean isNobodysFault(RuntimeException e) {
    return e instanceof TransactionException
        || e instanceof StaleFenceException
        || e instanceof StoreException
        || (e instanceof DataAccessException && !(e instanceof DataIntegrityViolationException));
  }

  private boolean fireClaimed(int limit, String replica, List<Claimed> claimed) {
    ledger.beImpatient();
    claimed.addAll(ledger.claim(limit));
    List<TickDecision> fires = new ArrayList<>();
    List<AuditEntry> entries = new ArrayList<>();
    for (Claimed each : claimed) {
      try {
        SchedulePlan plan = plans.stored(each.schedule());
        fires.add(
            each.suspended()
                ? TickDecision.suspended(each.schedule(), plan, each.now())
                : new TickDecision(each.schedule(), plan, each.now()));
      } catch (RuntimeException e) {
        postpone(each.schedule(), e).ifPresent(entries::add);
      }
    }
    boolean jobs = !fires.isEmpty() && write(fires, replica);
    fires.forEach(fire -> entries.addAll(fire.audit()));
    effects.audit().append(entries);
    return jobs;
  }

  private boolean write(List<TickDecision> fires, String replica) {
    decide(fires);
    boolean jobs = enqueue(fires);
    List<UUID> cancelling =
        fires.stream()
            .filter(TickDecision::cancelsPrevious)
            .map(fire -> fire.stored().id())
            .toList();
    if (!cancelling.isEmpty()) {
      ledger.wantCancelled(cancelling);
    }
    List<TickKey> passedOver = new ArrayList<>();
    for (TickDecision fire : fires) {
      fire.passedOver().forEach(at -> passedOver.add(TickKey.of(fire.stored().id(), at)));
    }
    ledger.passOver(passedOver);
    ledger.insert(fires.stream().flatMap(fire -> fire.ticks().stream()).toList(), replica);
    ledger.advance(fires.stream().map(TickDecision::change).toList());
    for (TickDecision fire : fires) {
      fire.pauseNote().ifPresent(note -> ledger.pause(fire.stored().id(), note));
    }
    return jobs;
  }

  private void decide(List<TickDecision> fires) {
    List<UUID> minding =
        fires.stream().filter(TickDecision::minds).map(f -> f.stored().id()).toList();
    Map<UUID, List<Open>> open =
        (minding.isEmpty() ? List.<Open>of() : ledger.open(minding))
            .stream().collect(Collectors.groupingBy(Open::schedule));
    List<TickKey> keys =
        fires.stream()
            .flatMap(f -> f.runs().stream().map(run -> TickKey.of(f.stored().id(), run)))
            .toList();
    Map<UUID, List<TickKey>> taken =
        (keys.isEmpty() ? List.<TickKey>of() : ledger.taken(keys))
            .stream().collect(Collectors.groupingBy(TickKey::schedule));
    Map<String, Long> room = room(fires);
    for (TickDecision fire : fires) {
      UUID id = fire.stored().id();
      List<Open> before = open.getOrDefault(id, List.of());
      long left = room.getOrDefault(fire.stored().tenant(), 0L);
      int used =
          fire.decide(
              before.stream().anyMatch(tick -> !tick.queued()),
              before.stream().filter(Open::queued).map(Open::nominal).sorted().toList(),
              taken.getOrDefault(id, List.of()).stream()
                  .map(key -> Instant.parse(key.nominal()))
                  .toList(),
              left);
      room.put(fire.stored().tenant(), left - used);
    }
  }

  private Map<String, Long> room(List<TickDecision> fires) {
    Set<String> tenants =
        fires.stream()
            .filter(fire -> !fire.runs().isEmpty())
            .map(fire -> fire.stored().tenant())
            .collect(Collectors.toCollection(TreeSet::new));
    Map<String, Long> room = new TreeMap<>();
    for (String tenant : tenants) {
      try {
        room.put(tenant, quotas.room(tenant, Quota.ACTIVE_JOBS));
      } catch (Problem gone) {
        room.put(tenant, 0L); // the tenant is, and its schedules soon will be
      }
    }
    return room;
  }

  private boolean enqueue(List<TickDecision> fires) {
    List<JobRequest<?>> requests = new ArrayList<>();
    fires.forEach(fire -> requests.addAll(fire.requests()));
    if (requests.isEmpty()) {
      return false;
    }
    List<Enqueued> made = effects.enqueue(sql, requests);
    Map<String, Long> byTenant = new TreeMap<>();
    int at = 0;
    for (TickDecision fire : fires) {
      for (int i = 0; i < fire.wanted(); i++, at++) {
        fire.made(i, made.get(at).id().value(), made.get(at).isNew());
        if (made.get(at).isNew()) {
          byTenant.merge(fire.stored().tenant(), 1L, Long::sum);
        }
      }
    }
    byTenant.forEach(quotas::made);
    return true;
  }

  /** One schedule alone could not be fired: it waits, and pauses when it does not get better. */
  private void blame(ScheduleRow schedule, RuntimeException cause) {
    log.warn("schedule {} of {} cannot fire", schedule.id(), schedule.tenant(), cause);
    sql.inTransaction(() -> postpone(schedule, cause).ifPresent(effects.audit()::append));
  }

  /** Returns what is to be recorded if this was once too often. */
  private Optional<AuditEntry> postpone(ScheduleRow schedule, RuntimeException cause) {
    int refusals = schedule.refusals() + 1;
    ledger.postpone(
        schedule.id(), refusals, ScheduleBackoff.afterRefusals(refusals, schedule.id()));
    if (refusals < ScheduleSpec.USUAL_FAILURES) {
      return Optional.empty();
    }
    String note = "it could not be fired " + refusals + " times in a row: " + cause.getMessage();
    ledger.pause(schedule.id(), note);
    return Optional.of(TickDecision.autoPaused(schedule, note));
  }
}
