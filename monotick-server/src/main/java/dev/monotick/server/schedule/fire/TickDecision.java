package dev.monotick.server.schedule.fire;

import dev.monotick.job.JobRequest;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.schedule.fire.DueTicks.SkippedTicks;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.work.Overlap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What becomes of one schedule in a look: begun with what is due, then overlap, quota and the
 * enqueued jobs decide, and in the end there are ticks, a change of its row, and entries for the
 * audit.
 */
public final class TickDecision {

  private final ScheduleRow stored;
  private final SchedulePlan plan;
  private final DueTicks dues;
  private final Instant now;
  private final List<TickInsert> ticks = new ArrayList<>();
  private final List<Instant> jobs = new ArrayList<>();
  private final List<Instant> passedOver = new ArrayList<>();
  private final List<AuditEntry> audit = new ArrayList<>();
  private int refusals;
  private boolean suspended;
  private boolean cancelsPrevious;
  private Optional<Instant> notBefore = Optional.empty();
  private Optional<String> pauseNote = Optional.empty();

  TickDecision(ScheduleRow stored, SchedulePlan plan, Instant now) {
    this.stored = stored;
    this.plan = plan;
    this.now = now;
    this.dues = DueTicks.of(stored, plan, now);
    this.refusals = stored.refusals();
    dues.passed().forEach(this::pass);
    stored.pausedUntil().ifPresent(until -> audit("schedule_resumed", until, Map.of()));
  }

  /**
   * Passes over all that is due: its tenant is suspended, for which the schedule can do nothing.
   */
  static TickDecision suspended(ScheduleRow stored, SchedulePlan plan, Instant now) {
    TickDecision fire = new TickDecision(stored, plan, now);
    fire.dues.runs().forEach(run -> fire.pass(new SkippedTicks(run, 1, TickSkipReason.SUSPENDED)));
    fire.notBefore = Optional.of(now.plus(ScheduleBackoff.SUSPENDED));
    fire.suspended = true;
    return fire;
  }

  ScheduleRow stored() {
    return stored;
  }

  List<Instant> runs() {
    return suspended ? List.of() : dues.runs();
  }

  /** Says whether it matters if jobs of ticks before have not ended. */
  boolean minds() {
    return plan.onOverlap() != Overlap.ALLOW && !runs().isEmpty();
  }

  /**
   * Decides what becomes a job.
   *
   * @param running whether the job of a tick before has not ended
   * @param queued nominal times of ticks that wait for that, oldest first
   * @param taken nominal times that are in the ledger already
   * @param room how many jobs more the tenant may have
   * @return how many it takes
   */
  int decide(boolean running, List<Instant> queued, List<Instant> taken, long room) {
    List<Instant> runs = new ArrayList<>(runs());
    runs.removeAll(taken);
    if (plan.onOverlap() == Overlap.CANCEL_PREVIOUS) { // the newest would cancel the others
      for (; runs.size() > 1; runs.remove(0)) {
        pass(new SkippedTicks(runs.get(0), 1, TickSkipReason.OVERLAP));
      }
    }
    if (!runs.isEmpty() && plan.work() instanceof SchedulePlan.Work.None none) {
      runs.forEach(nominal -> ticks.add(TickInsert.failed(stored, nominal, none.why())));
      refuse("its job is no longer understood: " + none.why(), runs.get(0));
      return 0;
    }
    boolean waiting = passOver(queued, runs.size());
    boolean busy = running || waiting;
    for (Instant nominal : runs) {
      if (busy && mayWait(waiting)) {
        cancelsPrevious |= plan.onOverlap() == Overlap.CANCEL_PREVIOUS;
        ticks.add(TickInsert.queued(stored, nominal));
        audit("schedule_queued", nominal, Map.of());
        waiting = true;
      } else if (busy && plan.onOverlap() != Overlap.ALLOW) {
        pass(new SkippedTicks(nominal, 1, TickSkipReason.OVERLAP));
      } else if (jobs.size() >= room) {
        pass(new SkippedTicks(nominal, 1, TickSkipReason.QUOTA));
      } else {
        jobs.add(nominal);
        busy = true;
      }
    }
    boolean refused = ticks.stream().anyMatch(tick -> tick.isFor(TickSkipReason.QUOTA));
    if (refused) {
      refuse("the tenant has no room for its jobs", runs.get(0));
    } else if (!jobs.isEmpty()) {
      refusals = 0;
    }
    return jobs.size();
  }

  /**
   * Passes over the oldest of the ticks that wait, if newer ones are to run and all together are
   * more than catch-up wants.
   *
   * @return whether ticks are left that wait
   */
  private boolean passOver(List<Instant> queued, int newer) {
    int wanted = plan.catchUp().maximum();
    int tooMany = catchesUp() && newer > 0 ? Math.max(0, queued.size() + newer - wanted) : 0;
    for (Instant nominal : queued.subList(0, Math.min(queued.size(), tooMany))) {
      passedOver.add(nominal);
      audit(
          "schedule_missed", nominal, Map.of("reason", TickSkipReason.MISSED.word(), "count", 1L));
    }
    return queued.size() > passedOver.size();
  }

  /**
   * Returns whether ticks are made up for: they wait for a job that goes on, which may be one that
   * the outage interrupted, and are not skipped because of it.
   */
  private boolean catchesUp() {
    boolean oneAtATime = plan.onOverlap() == Overlap.SKIP || plan.onOverlap() == Overlap.QUEUE_ONE;
    return oneAtATime && !runs().isEmpty() && (dues.late() || plan.catchUp().maximum() > 1);
  }

  /** Says whether a tick that finds a job under way waits for its end. */
  private boolean mayWait(boolean somebodyWaits) {
    return switch (plan.onOverlap()) {
      case ALLOW -> false;
      case SKIP -> catchesUp();
      case QUEUE_ONE -> catchesUp() || !somebodyWaits;
      case CANCEL_PREVIOUS -> true;
    };
  }

  /** Returns how many jobs it wants. */
  int wanted() {
    return jobs.size();
  }

  /** Returns the jobs it wants, in the order of {@link #made}. */
  List<JobRequest<?>> requests() {
    List<JobRequest<?>> requests = new ArrayList<>();
    for (Instant nominal : jobs) {
      requests.add(request(plan, stored, nominal));
    }
    return requests;
  }

  /** Returns the job of a tick. */
  public static JobRequest<?> request(SchedulePlan plan, ScheduleRow stored, Instant nominal) {
    return plan.request()
        .header("schedule", stored.id().toString())
        .header("schedule-name", stored.name())
        .header("nominal", nominal.toString())
        .header("fence", String.valueOf(stored.nextFence()));
  }

  /** Takes note of the job that was made of the run of that place. */
  void made(int place, long job, boolean isNew) {
    Instant nominal = jobs.get(place);
    if (isNew) {
      ticks.add(TickInsert.fired(stored, nominal, job));
      audit(
          "schedule_fired",
          nominal,
          Map.of("job", String.valueOf(job), "fence", String.valueOf(stored.nextFence())));
    } else {
      pass(new SkippedTicks(nominal, 1, TickSkipReason.DUPLICATE));
    }
  }

  private void pass(SkippedTicks range) {
    ticks.add(TickInsert.passed(stored, range));
    if (range.reason() != TickSkipReason.QUOTA) { // told by refuse, not each time
      audit(
          range.reason() == TickSkipReason.MISSED ? "schedule_missed" : "schedule_skipped",
          range.first(),
          Map.of("reason", range.reason().word(), "count", range.count()));
    }
  }

  private void refuse(String why, Instant nominal) {
    refusals++;
    notBefore = Optional.of(now.plus(ScheduleBackoff.afterRefusals(refusals, stored.id())));
    if (Integer.bitCount(refusals) == 1) { // the 1st, 2nd, 4th, 8th in a row
      audit("schedule_refused", nominal, Map.of("reason", why, "refusals", refusals));
    }
    if (refusals >= plan.failures()) {
      pauseNote = Optional.of(refusals + " ticks in a row became no job: " + why);
      audit.add(autoPaused(stored, pauseNote.get()));
    }
  }

  static AuditEntry autoPaused(ScheduleRow stored, String note) {
    return AuditEntry.bySystem(
        stored.tenant(),
        "schedule_auto_paused",
        stored.subject(),
        Map.of("name", stored.name(), "note", note));
  }

  private void audit(String action, Instant nominal, Map<String, Object> more) {
    Map<String, Object> detail = new LinkedHashMap<>(more);
    detail.put("name", stored.name());
    detail.put("nominal", nominal.toString());
    audit.add(AuditEntry.bySystem(stored.tenant(), action, stored.subject(), detail));
  }

  List<TickInsert> ticks() {
    return ticks;
  }

  /** Returns the nominal times of ticks that waited and are missed now. */
  List<Instant> passedOver() {
    return passedOver;
  }

  List<AuditEntry> audit() {
    return audit;
  }

  boolean cancelsPrevious() {
    return cancelsPrevious;
  }

  Optional<String> pauseNote() {
    return pauseNote;
  }

  ScheduleChange change() {
    return new ScheduleChange(
        stored.id(),
        next().map(Instant::toString).orElse(null),
        notBefore.map(Instant::toString).orElse(null),
        refusals,
        ticks.stream().filter(tick -> tick.job() != null).count(),
        count("SKIPPED"),
        count("MISSED") + passedOver.size(),
        stored.fence());
  }

  /** Where the end of a job must be waited for, that sets the next time; see DelayedSchedules. */
  private Optional<Instant> next() {
    boolean waits = plan.followsEnds() && ticks.stream().anyMatch(tick -> tick.outcome() == null);
    return waits ? Optional.empty() : dues.next();
  }

  private long count(String outcome) {
    return ticks.stream()
        .filter(tick -> outcome.equals(tick.outcome()))
        .mapToLong(TickInsert::count)
        .sum();
  }
}
