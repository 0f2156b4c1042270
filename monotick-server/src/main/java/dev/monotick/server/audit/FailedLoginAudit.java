package dev.monotick.server.audit;

import dev.monotick.server.access.AuthenticationFailedEvent;
import java.util.Map;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Puts failed sign-ins on record. */
@Component
class FailedLoginAudit {

  private final EngineAudit audit;

  FailedLoginAudit(EngineAudit audit) {
    this.audit = audit;
  }

  @EventListener
  void failed(AuthenticationFailedEvent event) {
    audit.add(
        AuditEntry.bySystem(
            AuditEntry.INSTALLATION,
            "authentication_failed",
            "address/" + event.address(),
            Map.of("failures", event.failures(), "key", event.claimed())));
  }
}
