package dev.monotick.server.key;

import dev.monotick.server.access.ApiKeys;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import dev.monotick.server.web.Page;
import dev.monotick.spi.time.TimeSource;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** API keys of the caller's tenant; admins of the installation may also ask for those of none. */
@RestController
@RequestMapping("/v1/keys")
@RequiresRole(Role.ADMIN)
@Tag(name = "keys")
class KeyController {

  private static final Duration LONGEST = Duration.ofDays(3_660);

  private final ApiKeys keys;
  private final KeyRecords records;
  private final Idempotency idempotency;
  private final AuditTrail audit;
  private final TimeSource time;

  /**
   * A key that somebody wants.
   *
   * @param name what people call it
   * @param role what it may do
   * @param expiresAt until when it is valid; for ever if not given
   * @param expiresIn the same as a duration from now
   * @param platform whether it is for the whole installation
   * @param agent the only agent that it speaks for; any that nobody else has if not given
   */
  record NewKey(
      @Nullable String name,
      @Nullable Role role,
      @Nullable String expiresAt,
      @Nullable String expiresIn,
      @Nullable Boolean platform,
      @Nullable String agent) {}

  /**
   * A key that was made.
   *
   * @param key what is known of it
   * @param secret the whole key, shown this once; null when the answer is repeated
   */
  record MadeKey(KeyView key, @Nullable String secret) {

    @Override
    public String toString() {
      return "MadeKey[" + key.id() + "]";
    }
  }

  KeyController(
      ApiKeys keys,
      KeyRecords records,
      Idempotency idempotency,
      AuditTrail audit,
      TimeSource time) {
    this.keys = keys;
    this.records = records;
    this.idempotency = idempotency;
    this.audit = audit;
    this.time = time;
  }

  @PostMapping
  @Operation(summary = "Create a key; its secret is shown only in this response")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = MadeKey.class)))
  ResponseEntity<Object> make(Caller caller, HttpServletRequest http, @RequestBody NewKey wanted) {
    String name = RequestFields.required("name", wanted.name());
    if (name.length() > 100) {
      throw Problem.invalid(
          "name", "name must be at most 100 characters, but has " + name.length());
    }
    Role role = RequestFields.required("role", wanted.role());
    Optional<String> whose = whose(caller, wanted.platform());
    Instant expires = expires(wanted);
    Optional<String> agent = agent(wanted, role);
    AtomicReference<String> secret = new AtomicReference<>("");
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            wanted,
            () -> {
              whose.ifPresent(records::requireTenant);
              ApiKeys.Made made = keys.make(whose, role, name, caller.name(), expires);
              agent.ifPresent(each -> records.bind(made.key().id(), each));
              KeyView view = records.get(whose, made.key().id());
              audit.append(entry(caller, whose, "key_created", view));
              secret.set(made.secret());
              // Without the secret: answers to repeated calls are kept, and secrets are not.
              return ResponseEntity.created(URI.create("/v1/keys/" + view.id()))
                  .eTag(EntityTags.tag(view.version()))
                  .body(new MadeKey(view, null));
            });
    return answer.getBody() instanceof MadeKey made
        ? ResponseEntity.status(answer.getStatusCode())
            .headers(answer.getHeaders())
            .body(new MadeKey(made.key(), secret.get()))
        : answer;
  }

  @GetMapping
  @Operation(summary = "List keys")
  Page<KeyView> list(
      Caller caller,
      @RequestParam(required = false) @Nullable Boolean platform,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    return Page.of(
        records.list(whose(caller, platform), after == null ? "" : after, most + 1),
        most,
        KeyView::id);
  }

  @GetMapping("/{id}")
  @Operation(summary = "Get a key")
  ResponseEntity<KeyView> get(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable Boolean platform) {
    KeyView key = records.get(whose(caller, platform), id);
    return ResponseEntity.ok().eTag(EntityTags.tag(key.version())).body(key);
  }

  @DeleteMapping("/{id}")
  @Operation(summary = "Revoke a key; takes effect on all replicas within seconds")
  ResponseEntity<Object> revoke(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable Boolean platform,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
    Optional<String> whose = whose(caller, platform);
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            null,
            () -> {
              if (whose.isEmpty()) {
                records.requireAnotherAdmin(id);
              }
              KeyView key = records.lock(whose, id);
              EntityTags.optional(ifMatch, key.version());
              if (key.revokedAt() == null) {
                records.revoke(id);
                audit.append(entry(caller, whose, "key_revoked", key));
              }
              return ResponseEntity.noContent().build();
            });
    keys.forget();
    return answer;
  }

  private static Optional<String> whose(Caller caller, @Nullable Boolean platform) {
    if (!Boolean.TRUE.equals(platform)) {
      return Optional.of(caller.tenant());
    }
    if (!caller.isPlatformAdmin()) {
      throw Problem.forbidden("keys of the whole installation are for its own admins");
    }
    return Optional.empty();
  }

  private static Optional<String> agent(NewKey wanted, Role role) {
    if (wanted.agent() == null) {
      return Optional.empty();
    }
    if (role != Role.AGENT || Boolean.TRUE.equals(wanted.platform())) {
      throw Problem.invalid(
          "agent", "agent is for keys of the role AGENT of a tenant; leave it out for others");
    }
    return Optional.of(RequestFields.name("agent", wanted.agent(), 100));
  }

  private @Nullable Instant expires(NewKey wanted) {
    if (wanted.expiresAt() != null && wanted.expiresIn() != null) {
      throw Problem.invalid("expiresIn", "give expiresAt or expiresIn, not both");
    }
    Instant now = time.now();
    Instant expires = null;
    String field = "expiresAt";
    if (wanted.expiresAt() != null) {
      expires = RequestFields.instant(field, wanted.expiresAt());
    } else if (wanted.expiresIn() != null) {
      field = "expiresIn";
      Duration within = RequestFields.duration(field, wanted.expiresIn());
      if (within.compareTo(LONGEST) <= 0) {
        expires = now.plus(within);
      } else {
        throw Problem.invalid(field, field + " must be at most " + LONGEST);
      }
    }
    if (expires != null && (!expires.isAfter(now) || expires.isAfter(now.plus(LONGEST)))) {
      throw Problem.invalid(
          field, field + " must be after now and within " + LONGEST + ", but is " + expires);
    }
    return expires;
  }

  private static AuditEntry entry(
      Caller caller, Optional<String> whose, String action, KeyView key) {
    Map<String, Object> detail = new LinkedHashMap<>();
    detail.put("name", key.name());
    detail.put("role", key.role().name());
    if (key.expiresAt() != null) {
      detail.put("expiresAt", key.expiresAt().toString());
    }
    if (key.agent() != null) {
      detail.put("agent", key.agent());
    }
    return new AuditEntry(
        whose.orElse(""), caller.name(), caller.type(), action, "key/" + key.id(), detail);
  }
}
