package dev.monotick.server.job.control;

import dev.monotick.job.JobPause;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.job.act.JobActionController;
import dev.monotick.server.web.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/** Has nobody take jobs of a queue or of a kind, of whichever tenant, on all replicas at once. */
@Component
class JobPauses {

  private final Jobs jobs;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * That nobody takes such jobs.
   *
   * @param by who paused them
   * @param note why
   * @param since when
   */
  record Paused(String by, String note, Instant since) {}

  /**
   * A word on a pause.
   *
   * @param note a line for people
   */
  record PauseBody(@Nullable String note) {}

  JobPauses(Jobs jobs, Idempotency idempotency, AuditTrail audit) {
    this.jobs = jobs;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  /** Returns what is paused, by name. */
  Map<String, Paused> all(JobPause.Of of) {
    return jobs.pauses().stream()
        .filter(each -> each.of() == of)
        .collect(
            Collectors.toMap(
                JobPause::name, each -> new Paused(each.by(), each.note(), each.since())));
  }

  /** Pauses one; who paused it first is who paused it. */
  ResponseEntity<Object> pause(
      Caller caller,
      HttpServletRequest http,
      JobPause.Of of,
      String name,
      @Nullable PauseBody body) {
    String note = JobActionController.text("note", body == null ? null : body.note());
    return idempotency.once(
        http,
        caller,
        body,
        () -> {
          audit.append(entry(caller, of, "paused", name, Map.of("note", note)));
          jobs.pause(of, name, caller.name(), note);
          return ResponseEntity.noContent().build();
        });
  }

  /** Ends a pause, if there is one. */
  ResponseEntity<Object> resume(
      Caller caller, HttpServletRequest http, JobPause.Of of, String name) {
    return idempotency.once(
        http,
        caller,
        null,
        () -> {
          if (jobs.resume(of, name)) {
            audit.append(entry(caller, of, "resumed", name, Map.of()));
          }
          return ResponseEntity.noContent().build();
        });
  }

  private static AuditEntry entry(
      Caller caller, JobPause.Of of, String done, String name, Map<String, Object> detail) {
    String what = of.name().toLowerCase(Locale.ROOT);
    return new AuditEntry(
        AuditEntry.INSTALLATION,
        caller.name(),
        caller.type(),
        what + "_" + done,
        what + "/" + name,
        detail);
  }
}
