package dev.monotick.server.secret;

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
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Secrets of a tenant. They go in, and never come out here. */
@RestController
@RequestMapping("/v1/secrets")
@Tag(name = "secrets", description = "What signs calls and fills headers of a tenant's HTTP jobs")
class SecretController {

  private static final int LONGEST = 8_000;

  private final Sql sql;
  private final SecretBox box;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * A new secret.
   *
   * @param name by which calls name it
   * @param value what it is, in ASCII of one line, because it goes into headers
   */
  record NewSecret(@Nullable String name, @Nullable String value) {

    @Override
    public String toString() {
      return "NewSecret[" + name + "]";
    }
  }

  /**
   * Another value.
   *
   * @param value what it is from now on
   */
  record NewValue(@Nullable String value) {

    @Override
    public String toString() {
      return "NewValue[]";
    }
  }

  /**
   * A secret, without what it is.
   *
   * @param name by which calls name it
   * @param version grows with every change
   * @param keyId which of the operator's keys encrypted it
   * @param createdAt when it was made
   * @param changedAt when it got its value
   * @param changedBy from whom
   */
  record SecretView(
      String name,
      long version,
      String keyId,
      Instant createdAt,
      Instant changedAt,
      String changedBy) {}

  SecretController(Sql sql, SecretBox box, Idempotency idempotency, AuditTrail audit) {
    this.sql = sql;
    this.box = box;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @PostMapping
  @RequiresRole(Role.ADMIN)
  @Operation(summary = "Create a secret")
  ResponseEntity<Object> create(
      Caller caller, HttpServletRequest http, @RequestBody NewSecret body) {
    String name = RequestFields.name("name", body.name(), 100);
    SecretBox.Sealed sealed = seal(caller.tenant(), name, body.value());
    // What is kept of the request must not help to guess the value.
    String mark = box.mark(SecretLookup.place(caller.tenant(), name), String.valueOf(body.value()));
    return idempotency.once(
        http,
        caller,
        mark,
        () -> {
          boolean isNew =
              sql.of(
                          """
                          insert into @secret (tenant, name, key_id, sealed, changed_by)
                          values (:tenant, :name, :key, :sealed, :by)
                          on conflict (tenant, name) do nothing
                          """)
                      .param("tenant", caller.tenant())
                      .param("name", name)
                      .param("key", sealed.keyId())
                      .param("sealed", sealed.bytes())
                      .param("by", caller.name())
                      .update()
                  == 1;
          if (!isNew) {
            throw Problem.conflict(
                "exists", "there is a secret " + name + " already; replace it by PUT");
          }
          SecretView view = find(caller, name);
          audit.append(
              AuditEntry.by(
                  caller, "secret_created", "secret/" + name, Map.of("keyId", sealed.keyId())));
          return ResponseEntity.created(URI.create("/v1/secrets/" + name))
              .eTag(EntityTags.tag(view.version()))
              .body(view);
        });
  }

  @PutMapping("/{name}")
  @RequiresRole(Role.ADMIN)
  @Operation(summary = "Replace the value of a secret")
  ResponseEntity<SecretView> replace(
      Caller caller,
      @PathVariable String name,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody NewValue body) {
    SecretBox.Sealed sealed = seal(caller.tenant(), name, body.value());
    SecretView view =
        sql.transaction(
            () -> {
              EntityTags.require(ifMatch, lock(caller, name));
              sql.of(
                      """
                      update @secret set key_id = :key, sealed = :sealed, version = version + 1,
                             changed_at = now(), changed_by = :by
                       where tenant = :tenant and name = :name
                      """)
                  .param("key", sealed.keyId())
                  .param("sealed", sealed.bytes())
                  .param("by", caller.name())
                  .param("tenant", caller.tenant())
                  .param("name", name)
                  .update();
              SecretView changed = find(caller, name);
              audit.append(
                  AuditEntry.by(
                      caller,
                      "secret_replaced",
                      "secret/" + name,
                      Map.of("keyId", sealed.keyId(), "version", changed.version())));
              return changed;
            });
    return ResponseEntity.ok().eTag(EntityTags.tag(view.version())).body(view);
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List secrets, without their values")
  Page<SecretView> list(
      Caller caller,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    List<SecretView> read =
        sql.of(
                """
                select * from @secret where tenant = :tenant and name > :after
                 order by name limit :most
                """)
            .param("tenant", caller.tenant())
            .param("after", after == null ? "" : after)
            .param("most", most + 1)
            .query(SecretController::view)
            .list();
    return Page.of(read, most, SecretView::name);
  }

  @GetMapping("/{name}")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Get a secret without its value")
  ResponseEntity<SecretView> get(Caller caller, @PathVariable String name) {
    SecretView view = find(caller, name);
    return ResponseEntity.ok().eTag(EntityTags.tag(view.version())).body(view);
  }

  @DeleteMapping("/{name}")
  @RequiresRole(Role.ADMIN)
  @Operation(summary = "Delete a secret; calls that need it fail from then on")
  ResponseEntity<Void> delete(
      Caller caller,
      @PathVariable String name,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    sql.inTransaction(
        () -> {
          EntityTags.require(ifMatch, lock(caller, name));
          sql.of("delete from @secret where tenant = :tenant and name = :name")
              .param("tenant", caller.tenant())
              .param("name", name)
              .update();
          audit.append(AuditEntry.by(caller, "secret_deleted", "secret/" + name, Map.of()));
        });
    return ResponseEntity.noContent().build();
  }

  private SecretBox.Sealed seal(String tenant, String name, @Nullable String value) {
    String given = RequestFields.required("value", value);
    if (given.length() > LONGEST || !given.chars().allMatch(c -> c >= 32 && c < 127)) {
      throw Problem.invalid(
          "value", "value must be at most " + LONGEST + " characters of ASCII in one line");
    }
    if (!box.isReady()) {
      throw Problem.conflict(
          "no-secret-key",
          "secrets need a key of the operator's: set MONOTICK_SECRET_KEY to 32 random bytes in"
              + " base64, as openssl rand -base64 32 makes them, on all replicas");
    }
    return box.seal(SecretLookup.place(tenant, name), given);
  }

  private long lock(Caller caller, String name) {
    return sql.of("select version from @secret where tenant = :tenant and name = :name for update")
        .param("tenant", caller.tenant())
        .param("name", name)
        .query(Long.class)
        .optional()
        .orElseThrow(() -> Problem.notFound("secret", name));
  }

  private SecretView find(Caller caller, String name) {
    return sql.of("select * from @secret where tenant = :tenant and name = :name")
        .param("tenant", caller.tenant())
        .param("name", name)
        .query(SecretController::view)
        .optional()
        .orElseThrow(() -> Problem.notFound("secret", name));
  }

  private static SecretView view(ResultSet row, int number) throws SQLException {
    return new SecretView(
        row.getString("name"),
        row.getLong("version"),
        row.getString("key_id"),
        row.getTimestamp("created_at").toInstant(),
        row.getTimestamp("changed_at").toInstant(),
        row.getString("changed_by"));
  }
}
