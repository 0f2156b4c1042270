package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Agents, for those who look after them. */
@RestController
@Tag(name = "agents", description = "Processes elsewhere that pull jobs")
class AgentController {

  private static final int MOST = 5_000;

  private final AgentTable agents;
  private final AgentInventory fleet;
  private final Sql sql;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * An inventory.
   *
   * @param agents what should be known
   * @param prune whether others are forgotten
   */
  record Inventory(@Nullable List<AgentSpec> agents, @Nullable Boolean prune) {}

  AgentController(
      AgentTable agents, AgentInventory fleet, Sql sql, Idempotency idempotency, AuditTrail audit) {
    this.agents = agents;
    this.fleet = fleet;
    this.sql = sql;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @GetMapping("/v1/agents")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List agents, by labels and status")
  Page<AgentView> list(
      Caller caller,
      @RequestParam(required = false) @Nullable List<String> label,
      @RequestParam(required = false) @Nullable String status,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    if (status != null && !status.equals("ONLINE") && !status.equals("OFFLINE")) {
      throw Problem.invalid("status", "status must be ONLINE or OFFLINE, but was " + status);
    }
    return Page.of(
        agents.list(
            caller.tenant(),
            AgentLabels.parsed("label", label),
            Optional.ofNullable(status),
            after == null ? "" : after,
            most + 1),
        most,
        AgentView::name);
  }

  @GetMapping("/v1/agents/{name}")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Get an agent")
  ResponseEntity<AgentView> get(Caller caller, @PathVariable String name) {
    AgentView view = agents.find(new AgentName(caller.tenant(), name));
    return ResponseEntity.ok().eTag(EntityTags.tag(view.changes())).body(view);
  }

  @DeleteMapping("/v1/agents/{name}")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Delete an agent; its work is reassigned")
  ResponseEntity<Void> delete(
      Caller caller,
      @PathVariable String name,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    sql.inTransaction(
        () -> {
          EntityTags.optional(ifMatch, agents.lock(new AgentName(caller.tenant(), name)));
          agents.delete(caller.tenant(), List.of(name));
          audit.append(AuditEntry.by(caller, "agent_deleted", "agent/" + name, Map.of()));
        });
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/v1/fleet/sync")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Synchronize agents with an inventory")
  ResponseEntity<Object> sync(Caller caller, HttpServletRequest http, @RequestBody Inventory body) {
    List<AgentSpec> given = RequestFields.required("agents", body.agents());
    boolean prune = Boolean.TRUE.equals(body.prune());
    if (given.size() > MOST) {
      throw Problem.invalid(
          "agents", "agents must be at most " + MOST + ", but are " + given.size());
    }
    if (given.isEmpty() && prune) {
      throw Problem.invalid(
          "agents", "agents must not be empty with prune: that would forget every agent");
    }
    List<AgentSpec.Checked> inventory = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      String field = "agents[" + i + "]";
      inventory.add(RequestFields.required(field, given.get(i)).checked(field + "."));
    }
    return idempotency.once(
        http,
        caller,
        body,
        () -> {
          AgentInventory.Synced synced = fleet.sync(caller.tenant(), inventory, prune);
          audit.append(
              AuditEntry.by(
                  caller,
                  "fleet_synced",
                  "fleet",
                  Map.of(
                      "added", synced.added().size(),
                      "changed", synced.changed().size(),
                      "unchanged", synced.unchanged(),
                      "removed", synced.removed())));
          return ResponseEntity.ok(synced);
        });
  }
}
