package dev.monotick.server.audit;

import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Makes views of events. */
@Component
class AuditViews {

  private final JsonMapper json;

  AuditViews(JsonMapper json) {
    this.json = json;
  }

  AuditView of(AuditRecord event) {
    return new AuditView(
        event.seq(),
        event.at().toString(),
        event.actor(),
        event.actorType(),
        event.action(),
        event.subject(),
        json.readTree(event.detail()),
        event.hash());
  }
}
