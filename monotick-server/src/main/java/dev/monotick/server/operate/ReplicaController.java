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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The processes that take part. */
@RestController
@RequestMapping("/v1/replicas")
@Tag(name = "Replicas", description = "The processes that take part")
class ReplicaController {

  private final ReplicaViews views;
  private final ReplicaCommands orders;
  private final Sql sql;
  private final AuditTrail audit;

  ReplicaController(ReplicaViews views, ReplicaCommands orders, Sql sql, AuditTrail audit) {
    this.views = views;
    this.orders = orders;
    this.sql = sql;
    this.audit = audit;
  }

  @GetMapping
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(summary = "List the replicas with their views")
  List<ReplicaView> list() {
    return views.all();
  }

  @PostMapping("/{id}/drain")
  @RequiresRole(value = Role.ADMIN, platform = true)
  @Operation(summary = "Drain a replica: it releases its work and claims none until restarted")
  ResponseEntity<Map<String, String>> drain(Caller caller, @PathVariable String id) {
    ReplicaView replica =
        views.all().stream()
            .filter(each -> each.id().equals(id))
            .findFirst()
            .orElseThrow(() -> Problem.notFound("replica", id));
    sql.inTransaction(
        () -> {
          orders.send(
              UUID.fromString(replica.id()), ReplicaCommands.Action.DRAIN, "", caller.name());
          audit.append(
              new AuditEntry(
                  AuditEntry.INSTALLATION,
                  caller.name(),
                  caller.type(),
                  "replica_drain_asked",
                  "replica/" + replica.id(),
                  Map.of("name", replica.name())));
        });
    return ResponseEntity.accepted().body(Map.of("replica", replica.id(), "asked", "DRAIN"));
  }
}
