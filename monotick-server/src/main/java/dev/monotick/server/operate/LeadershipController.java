package dev.monotick.server.operate;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Who leads what. */
@RestController
@RequestMapping("/v1/leadership")
@Tag(name = "Leadership", description = "Leaders of the groups, and changes of leadership")
class LeadershipController {

  private static final int TRANSITIONS = 50;

  private final Sql sql;
  private final ReplicaViews views;
  private final ReplicaCommands orders;
  private final AuditTrail audit;
  private final JsonMapper json;

  /**
   * A leadership group.
   *
   * @param group its name
   * @param leader who leads it, or did last
   * @param name what people call him
   * @param led whether somebody leads it now, as far as the store knows
   * @param fence the newest term's number
   * @param since when that term began
   * @param validForMillis how long the leader may rely on it, when he last said so; null if he has
   *     not yet
   */
  record Group(
      String group,
      String leader,
      @Nullable String name,
      boolean led,
      String fence,
      Instant since,
      @Nullable Long validForMillis) {}

  /**
   * A change.
   *
   * @param at when
   * @param action what
   * @param subject of which group
   * @param detail fence, replica and cause
   */
  record Transition(Instant at, String action, String subject, JsonNode detail) {}

  /**
   * All of it.
   *
   * @param groups who leads
   * @param transitions how that came, newest first
   */
  record Overview(List<Group> groups, List<Transition> transitions) {}

  LeadershipController(
      Sql sql, ReplicaViews views, ReplicaCommands orders, AuditTrail audit, JsonMapper json) {
    this.sql = sql;
    this.views = views;
    this.orders = orders;
    this.audit = audit;
    this.json = json;
  }

  @GetMapping
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(summary = "Show the leader of each group and the latest changes")
  Overview get() {
    return new Overview(groups(), transitions());
  }

  @PostMapping("/{group}/resign")
  @RequiresRole(value = Role.ADMIN, platform = true)
  @Operation(summary = "Make the leader of a group resign")
  ResponseEntity<Map<String, String>> resign(Caller caller, @PathVariable String group) {
    Group known =
        groups().stream()
            .filter(each -> each.group().equals(group))
            .findFirst()
            .orElseThrow(() -> Problem.notFound("leadership group", group));
    if (!known.led()) {
      throw Problem.conflict("no-leader", "no replica leads group " + group + " now");
    }
    sql.inTransaction(
        () -> {
          orders.send(
              UUID.fromString(known.leader()), ReplicaCommands.Action.RESIGN, group, caller.name());
          audit.append(
              new AuditEntry(
                  AuditEntry.INSTALLATION,
                  caller.name(),
                  caller.type(),
                  "leader_resign_asked",
                  "leadership/" + group,
                  Map.of("replica", known.leader(), "fence", known.fence())));
        });
    return ResponseEntity.accepted().body(Map.of("group", group, "asked", "RESIGN"));
  }

  private List<Group> groups() {
    List<ReplicaView> replicas = views.all();
    return sql.of(
            """
            select group_name, holder, holder_name, released, timeline, epoch, acquired_at
              from @@lease order by group_name
            """)
        .query(
            (row, number) -> {
              String holder = row.getString("holder");
              String group = row.getString("group_name");
              boolean alive = replicas.stream().anyMatch(view -> view.id().equals(holder));
              return new Group(
                  group,
                  holder,
                  row.getString("holder_name"),
                  alive && !row.getBoolean("released"),
                  row.getLong("timeline") + "." + row.getLong("epoch"),
                  row.getTimestamp("acquired_at").toInstant(),
                  validFor(replicas, holder, group));
            })
        .list();
  }

  private static @Nullable Long validFor(List<ReplicaView> replicas, String holder, String group) {
    return replicas.stream()
        .filter(view -> view.id().equals(holder))
        .flatMap(view -> view.terms().stream())
        .filter(term -> term.group().equals(group))
        .map(ReplicaView.Term::validForMillis)
        .findFirst()
        .orElse(null);
  }

  private List<Transition> transitions() {
    return sql.of(
            """
            select at, action, subject, detail from @audit_event
             where tenant = :tenant and action in ('leadership_gained', 'leadership_lost')
             order by seq desc limit :limit
            """)
        .param("tenant", AuditEntry.INSTALLATION)
        .param("limit", TRANSITIONS)
        .query(
            (row, number) ->
                new Transition(
                    row.getTimestamp("at").toInstant(),
                    row.getString("action"),
                    row.getString("subject"),
                    json.readTree(row.getString("detail"))))
        .list();
  }
}
