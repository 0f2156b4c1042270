package dev.monotick.server.audit;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The audit of a tenant, or of the whole installation for those who administer it. */
@RestController
@RequestMapping("/v1/audit")
@Tag(name = "audit", description = "Audit events, and proof that they are unchanged.")
class AuditController {

  private final AuditReader reader;
  private final AuditVerifier verifier;
  private final AuditViews views;

  AuditController(AuditReader reader, AuditVerifier verifier, AuditViews views) {
    this.reader = reader;
    this.verifier = verifier;
    this.views = views;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List audit events, newest first")
  Page<AuditView> list(
      Caller caller,
      @RequestParam(required = false) @Nullable String scope,
      @RequestParam(required = false) @Nullable String actor,
      @RequestParam(required = false) @Nullable String action,
      @RequestParam(required = false) @Nullable String subject,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    AuditReader.Filter filter =
        new AuditReader.Filter(actor, action, subject, instant("from", from), instant("to", to));
    List<AuditRecord> read =
        reader.newest(
            tenant(caller, scope), filter, number("after", after, Long.MAX_VALUE), most + 1);
    Page<AuditRecord> page = Page.of(read, most, event -> String.valueOf(event.seq()));
    return new Page<>(page.items().stream().map(views::of).toList(), page.next());
  }

  @GetMapping("/export")
  @RequiresRole(Role.VIEWER)
  @Operation(
      summary = "Export the chain for verification elsewhere",
      description =
          "Lines of JSON: the first says where the chain begins and ends, each other is an event.",
      responses =
          @ApiResponse(
              responseCode = "200",
              description = "the chain",
              content =
                  @Content(mediaType = "application/x-ndjson", schema = @Schema(type = "string"))))
  void export(
      Caller caller,
      @RequestParam(required = false) @Nullable String scope,
      @RequestParam(required = false) @Nullable String after,
      HttpServletResponse response)
      throws IOException {
    String tenant = tenant(caller, scope);
    AuditChainPosition from = from(tenant, number("after", after, 0));
    response.setContentType("application/x-ndjson");
    response.setCharacterEncoding("UTF-8");
    try (OutputStream out = new BufferedOutputStream(response.getOutputStream(), 1 << 16)) {
      AuditExport.write(reader, tenant, from, out);
    }
  }

  private AuditChainPosition from(String tenant, long after) {
    AuditChainPosition beginning = reader.beginning(tenant).orElse(AuditChainPosition.NONE);
    if (after <= beginning.seq()) {
      return beginning;
    }
    return reader.range(tenant, after - 1, after, 1).stream()
        .map(AuditRecord::end)
        .findFirst()
        .orElseThrow(() -> Problem.invalid("after", "after must be the number of an event"));
  }

  @PostMapping("/verify")
  @RequiresRole(Role.OPERATOR)
  @Operation(
      summary = "Recompute the chain",
      description = "Continues where the last check ended; from=start checks the whole chain.")
  AuditCheckResult verify(
      Caller caller,
      @RequestParam(required = false) @Nullable String scope,
      @RequestParam(required = false) @Nullable String from) {
    if (from != null && !from.equals("start") && !from.equals("checkpoint")) {
      throw Problem.invalid("from", "from must be start or checkpoint, but was \"" + from + "\"");
    }
    return verifier.verify(tenant(caller, scope), "start".equals(from));
  }

  private static String tenant(Caller caller, @Nullable String scope) {
    if (scope == null || scope.equals("tenant")) {
      return caller.tenant();
    }
    if (!scope.equals("installation")) {
      throw Problem.invalid(
          "scope", "scope must be tenant or installation, but was \"" + scope + "\"");
    }
    if (caller.home().isPresent()) {
      throw Problem.forbidden("the audit of the installation needs a key of no tenant");
    }
    return AuditEntry.INSTALLATION;
  }

  private static @Nullable Instant instant(String field, @Nullable String text) {
    return text == null ? null : RequestFields.instant(field, text);
  }

  private static long number(String field, @Nullable String text, long fallback) {
    if (text == null) {
      return fallback;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw Problem.invalid(field, field + " must be a number, but was \"" + text + "\"");
    }
  }
}
