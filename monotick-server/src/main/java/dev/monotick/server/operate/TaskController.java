package dev.monotick.server.operate;

import dev.monotick.Monotick;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.EngineLifecycle;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.Idempotency;
import dev.monotick.task.TaskStatus;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The loops of the server and of whoever embeds it: the HA truth table. */
@RestController
@RequestMapping("/v1/tasks")
@Tag(name = "Tasks", description = "Recurring work in code, and how it keeps its promise")
class TaskController {

  private final Monotick monotick;
  private final EngineLifecycle life;
  private final Seen seen;
  private final AuditTrail audit;
  private final Idempotency idempotency;

  /**
   * A row of the truth table.
   *
   * @param policy what the task was declared as
   * @param paused why it is paused, if it is
   * @param next nominal time of the next tick
   * @param running bodies that run, on all replicas
   * @param lastOutcome how the last tick ended, wherever it was
   * @param lastEndedAt when that was
   * @param counts what all living replicas have seen of it since they started
   * @param replicas names of the replicas that have it
   * @param registrations where replicas have registered it differently: each value of each property
   *     that differs; empty if all agree
   * @param engine what is known of it if it is part of the engine; null if it is a task
   */
  record TaskRow(
      ReplicaView.Policy policy,
      @Nullable String paused,
      @Nullable Instant next,
      int running,
      @Nullable String lastOutcome,
      @Nullable Instant lastEndedAt,
      ReplicaView.Counts counts,
      List<String> replicas,
      List<Registration> registrations,
      @Nullable EnginePart engine) {

    /** A loop of the engine. */
    static TaskRow of(EngineLoops.Loop loop, List<String> replicas) {
      return new TaskRow(
          loop.policy(),
          null,
          null,
          0,
          null,
          loop.lastAt(),
          ReplicaView.Counts.NONE,
          replicas,
          List.of(),
          new EnginePart(loop.does(), loop.figures()));
    }

    static TaskRow of(ReplicaView.Seen seen, String replica) {
      return new TaskRow(
          seen.policy(),
          seen.paused(),
          seen.next(),
          seen.running(),
          seen.lastOutcome(),
          seen.lastEndedAt(),
          seen.counts(),
          List.of(replica),
          Registration.of(seen, replica),
          null);
    }

    /** A replica may not have heard of a pause yet, nor of its end; the ledger has. */
    TaskRow pausedAs(@Nullable String ledger) {
      return new TaskRow(
          policy,
          ledger,
          next,
          running,
          lastOutcome,
          lastEndedAt,
          counts,
          replicas,
          registrations,
          engine);
    }

    TaskRow plus(TaskRow other) {
      boolean later =
          other.lastEndedAt != null
              && (lastEndedAt == null || other.lastEndedAt.isAfter(lastEndedAt));
      List<String> all = new ArrayList<>(replicas);
      all.addAll(other.replicas);
      return new TaskRow(
          // What counts is shown, if there are several.
          registrations.stream().allMatch(Registration::counts) ? policy : other.policy,
          paused == null ? other.paused : paused,
          next == null ? other.next : next,
          running + other.running,
          later ? other.lastOutcome : lastOutcome,
          later ? other.lastEndedAt : lastEndedAt,
          counts.plus(other.counts),
          List.copyOf(all),
          Stream.concat(registrations.stream(), other.registrations.stream()).toList(),
          engine);
    }
  }

  /**
   * What one replica registered under the name of the task, where others have something else.
   *
   * @param replica name of the replica
   * @param counts whether it goes by it; if not, it leaves scheduled ticks to replicas that started
   *     later
   * @param properties the properties that differ, with the replica's values
   */
  record Registration(String replica, boolean counts, Map<String, String> properties) {

    static List<Registration> of(ReplicaView.Seen seen, String replica) {
      List<TaskStatus.Difference> differences = seen.differences();
      if (differences == null || differences.isEmpty()) {
        return List.of();
      }
      Map<String, String> properties = new TreeMap<>();
      differences.forEach(each -> properties.put(each.property(), each.here()));
      return List.of(new Registration(replica, seen.supersededBy() == null, properties));
    }
  }

  /**
   * A loop inside the engine: it cannot be paused or triggered alone, and nobody counts its ticks.
   *
   * @param does what it is for
   * @param figures what it has yet to do, and what is known beside
   */
  record EnginePart(String does, Map<String, Object> figures) {}

  /**
   * A tick of a task.
   *
   * @param nominal its nominal time
   * @param trigger the key under which somebody asked for it
   * @param count how many ticks the row stands for
   * @param status WAITING, RUNNING or ENDED
   * @param outcome how it ended
   * @param reason why it was skipped
   * @param detail a line for people
   * @param attempt how often it was claimed
   * @param fence the fence under which it was claimed
   * @param replica who had it
   * @param startedAt when its body began
   * @param endedAt when its outcome was known
   * @param latenessMillis how long after its nominal time its body began
   */
  record Tick(
      Instant nominal,
      @Nullable String trigger,
      long count,
      String status,
      @Nullable String outcome,
      @Nullable String reason,
      @Nullable String detail,
      int attempt,
      @Nullable String fence,
      @Nullable String replica,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable Long latenessMillis) {

    static Tick of(TickRecord row) {
      Instant started = row.startedAt();
      return new Tick(
          row.tick().nominal(),
          row.tick().trigger(),
          row.count(),
          row.status().name(),
          row.outcome() == null ? null : row.outcome().name(),
          row.reason() == null ? null : row.reason().name(),
          row.detail(),
          row.attempt(),
          row.fence() == null ? null : row.fence().toString(),
          row.claim() == null ? null : row.claim().replica().toString(),
          started,
          row.endedAt(),
          started == null
              ? null
              : Math.max(0, started.toEpochMilli() - row.tick().nominal().toEpochMilli()));
    }
  }

  /**
   * Why a task is paused.
   *
   * @param note for people
   */
  record PauseRequest(@Nullable String note) {}

  /**
   * A tick that was asked for.
   *
   * @param task the task
   * @param key the key under which it was asked for
   */
  record Triggered(String task, @Nullable String key) {}

  /**
   * What is known of loops.
   *
   * @param sql to change it
   * @param views of tasks, by replicas
   * @param engine of the engine's own, by the database
   * @param pauses of tasks that every replica has for itself
   */
  @Component
  record Seen(Sql sql, ReplicaViews views, EngineLoops engine, TaskPauses pauses) {}

  TaskController(
      Monotick monotick,
      EngineLifecycle life,
      Seen seen,
      AuditTrail audit,
      Idempotency idempotency) {
    this.monotick = monotick;
    this.life = life;
    this.seen = seen;
    this.audit = audit;
    this.idempotency = idempotency;
  }

  @GetMapping
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(
      summary =
          "Shows the truth table: every task and every loop of the engine, its mode and what became"
              + " of its ticks")
  List<TaskRow> list() {
    return List.copyOf(rows().values());
  }

  @GetMapping("/{name}")
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(summary = "Shows one task")
  TaskRow get(@PathVariable String name) {
    return Optional.ofNullable(rows().get(name)).orElseThrow(() -> Problem.notFound("task", name));
  }

  @GetMapping("/{name}/ticks")
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(summary = "Shows the newest ticks of a task, newest first")
  List<Tick> ticks(@PathVariable String name, @RequestParam(required = false) Integer limit) {
    requireKnown(name);
    return monotick.history(name, RequestFields.number("limit", limit, 50, 1, 500)).stream()
        .map(Tick::of)
        .toList();
  }

  @PostMapping("/{name}/pause")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Pause a task on all replicas; its ticks are skipped without catch-up")
  TaskRow pause(
      Caller caller,
      @PathVariable String name,
      @RequestBody(required = false) @Nullable PauseRequest request) {
    requireKnown(name);
    String note =
        Optional.ofNullable(request).map(PauseRequest::note).orElse("paused by an operator");
    AuditEntry entry = entry(caller, "task_paused", name, Map.of("note", note));
    if (isEverywhere(name)) {
      seen.sql()
          .inTransaction(
              () -> {
                seen.pauses().add(caller, name, note);
                audit.append(entry);
              });
      seen.pauses().changed();
    } else {
      monotick.pause(name, caller.name(), note);
      audit.append(entry);
    }
    return get(name);
  }

  @PostMapping("/{name}/resume")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Resumes a task")
  TaskRow resume(Caller caller, @PathVariable String name) {
    requireKnown(name);
    AuditEntry entry = entry(caller, "task_resumed", name, Map.of());
    if (isEverywhere(name)) {
      seen.sql()
          .inTransaction(
              () -> {
                seen.pauses().remove(name);
                audit.append(entry);
              });
      seen.pauses().changed();
    } else {
      audit.append(entry);
    }
    monotick.resume(name); // also if the engine paused it by itself
    return get(name);
  }

  @PostMapping("/{name}/trigger")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Trigger a task, once per Idempotency-Key")
  ResponseEntity<Triggered> trigger(
      Caller caller, HttpServletRequest http, @PathVariable String name) {
    requireKnown(name);
    String key = idempotency.key(http);
    TickId tick = key == null ? monotick.trigger(name) : monotick.trigger(name, key);
    audit.append(entry(caller, "task_triggered", name, Map.of("tick", tick.toString())));
    return ResponseEntity.accepted().body(new Triggered(name, tick.trigger()));
  }

  private static AuditEntry entry(
      Caller caller, String action, String task, Map<String, Object> detail) {
    return new AuditEntry(
        AuditEntry.INSTALLATION, caller.name(), caller.type(), action, "task/" + task, detail);
  }

  private boolean isEverywhere(String name) {
    return monotick.tasks().stream()
        .anyMatch(task -> task.name().equals(name) && TaskPauses.isFor(task));
  }

  private Map<String, TaskRow> rows() {
    Map<String, TaskRow> rows = new TreeMap<>();
    List<String> running = new ArrayList<>();
    for (ReplicaView view : seen.views().all()) {
      if (view.state() == ReplicaView.State.RUNNING) {
        running.add(view.name());
        view.tasks()
            .forEach(
                task ->
                    rows.merge(task.policy().name(), TaskRow.of(task, view.name()), TaskRow::plus));
      }
    }
    seen.engine()
        .all()
        .forEach(loop -> rows.put(loop.policy().name(), TaskRow.of(loop, List.copyOf(running))));
    seen.views()
        .pauses()
        .forEach(
            (task, paused) -> rows.computeIfPresent(task, (name, row) -> row.pausedAs(paused)));
    seen.pauses()
        .all()
        .forEach(
            (task, paused) ->
                rows.computeIfPresent(task, (name, row) -> row.pausedAs(paused.words())));
    return rows;
  }

  private void requireKnown(String name) {
    if (EngineLoops.isOne(name)) {
      throw Problem.conflict(
          "part-of-engine",
          name
              + " is part of the engine: it has no ticks, and cannot be paused or triggered alone");
    }
    if (life.state() != EngineLifecycle.State.RUNNING) {
      throw Problem.unavailable("this replica takes no work any more; ask another one");
    }
    if (monotick.tasks().stream().noneMatch(task -> task.name().equals(name))) {
      throw Problem.notFound("task", name);
    }
  }
}
