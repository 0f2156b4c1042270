package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Takes agents from the keys that speak for them, so that other keys may. */
@RestController
@RequiresRole(Role.OPERATOR)
@Tag(name = "agents")
class AgentBindingController {

  private final AgentKeys keys;
  private final AgentTable agents;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * Whose agents are meant.
   *
   * @param key the id of a key
   */
  record ReleaseBody(@Nullable String key) {}

  /**
   * What was released.
   *
   * @param released names of agents
   */
  record Released(List<String> released) {}

  AgentBindingController(
      AgentKeys keys, AgentTable agents, Idempotency idempotency, AuditTrail audit) {
    this.keys = keys;
    this.agents = agents;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @PostMapping("/v1/agents/{name}/release")
  @Operation(summary = "Unbind an agent from its key; the next key that uses it is bound")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = AgentView.class)))
  ResponseEntity<Object> release(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String name,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    AgentName agent = new AgentName(caller.tenant(), name);
    return idempotency.once(
        http,
        caller,
        null,
        () -> {
          EntityTags.optional(ifMatch, agents.lock(agent));
          Optional<String> before = keys.release(agent);
          AgentView view = agents.find(agent);
          before.ifPresent(
              speaker ->
                  audit.append(
                      AuditEntry.by(
                          caller, "agent_released", "agent/" + name, Map.of("from", speaker))));
          return ResponseEntity.ok().eTag(EntityTags.tag(view.changes())).body(view);
        });
  }

  @PostMapping("/v1/fleet/release")
  @Operation(summary = "Unbind all agents of a key")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = Released.class)))
  ResponseEntity<Object> releaseAll(
      Caller caller, HttpServletRequest http, @RequestBody ReleaseBody body) {
    String key = RequestFields.name("key", body.key(), 100);
    return idempotency.once(
        http,
        caller,
        body,
        () -> {
          List<String> released = keys.releaseAll(caller.tenant(), key);
          if (!released.isEmpty()) {
            audit.append(
                AuditEntry.by(
                    caller, "fleet_released", "key/" + key, Map.of("agents", released.size())));
          }
          return ResponseEntity.ok(new Released(released));
        });
  }
}
