package dev.monotick.server.tenant;

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
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Tenants, for admins of the whole installation. */
@RestController
@RequestMapping("/v1/tenants")
@RequiresRole(value = Role.ADMIN, platform = true)
@Tag(name = "tenants")
class TenantController {

  private static final int LONGEST_NAME = 60;

  private final TenantTable tenants;
  private final TenantCheck check;
  private final Sql sql;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  TenantController(
      TenantTable tenants, TenantCheck gate, Sql sql, Idempotency idempotency, AuditTrail audit) {
    this.tenants = tenants;
    this.check = gate;
    this.sql = sql;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @PostMapping
  @Operation(summary = "Create a tenant")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = TenantView.class)))
  ResponseEntity<Object> create(
      Caller caller,
      HttpServletRequest http,
      @RequestBody @Schema(implementation = TenantChange.Body.class) JsonNode body) {
    TenantChange wanted = TenantChange.read(body);
    JsonNode given = body.get("name");
    String name =
        RequestFields.name(
            "name", given == null || !given.isString() ? null : given.asString(), LONGEST_NAME);
    return idempotency.once(
        http,
        caller,
        body,
        () -> {
          TenantView made = tenants.create(name, wanted);
          audit.append(entry(caller, name, "tenant_created", name, wanted.detail()));
          return ResponseEntity.created(URI.create("/v1/tenants/" + name))
              .eTag(EntityTags.tag(made.version()))
              .body(made);
        });
  }

  @GetMapping
  @Operation(summary = "List tenants by name")
  Page<TenantView> list(
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    return Page.of(tenants.list(after == null ? "" : after, most + 1), most, TenantView::name);
  }

  @GetMapping("/{name}")
  @Operation(summary = "Get a tenant")
  ResponseEntity<TenantView> get(@PathVariable String name) {
    TenantView tenant = tenants.get(name);
    return ResponseEntity.ok().eTag(EntityTags.tag(tenant.version())).body(tenant);
  }

  @PatchMapping("/{name}")
  @Operation(summary = "Change title, weight, quotas or suspension of a tenant")
  ResponseEntity<TenantView> change(
      Caller caller,
      @PathVariable String name,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody @Schema(implementation = TenantChange.Body.class) JsonNode body) {
    TenantChange wanted = TenantChange.read(body);
    if (body.has("name") && !body.get("name").asString("").equals(name)) {
      throw Problem.invalid("name", "name of a tenant cannot be changed");
    }
    TenantView changed =
        sql.transaction(
            () -> {
              long version = tenants.lock(name);
              EntityTags.require(ifMatch, version);
              TenantView after = tenants.change(name, wanted, version);
              audit.append(entry(caller, name, "tenant_changed", name, wanted.detail()));
              return after;
            });
    check.forget();
    return ResponseEntity.ok().eTag(EntityTags.tag(changed.version())).body(changed);
  }

  @DeleteMapping("/{name}")
  @Operation(summary = "Delete an empty tenant")
  ResponseEntity<Void> delete(
      Caller caller,
      @PathVariable String name,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
    sql.inTransaction(
        () -> {
          EntityTags.optional(ifMatch, tenants.lockForDeletion(name));
          tenants.delete(name);
          audit.append(entry(caller, "", "tenant_deleted", name, Map.of()));
        });
    check.forget();
    return ResponseEntity.noContent().build();
  }

  private static AuditEntry entry(
      Caller caller, String tenant, String action, String name, Map<String, Object> detail) {
    return new AuditEntry(tenant, caller.name(), caller.type(), action, "tenant/" + name, detail);
  }
}
