package dev.monotick.server.tenant;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.Needs;
import dev.monotick.server.access.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** How much tenants use of what they may. */
@RestController
@Tag(name = "tenants")
class UsageController {

  private final Quotas quotas;

  UsageController(Quotas quotas) {
    this.quotas = quotas;
  }

  @GetMapping("/v1/usage")
  @Needs(Role.VIEWER)
  @Operation(summary = "See how much of its quotas the caller's tenant uses")
  UsageView own(Caller caller) {
    return UsageView.of(caller.tenant(), quotas.usage(caller.tenant()));
  }

  @GetMapping("/v1/tenants/{name}/usage")
  @Needs(value = Role.VIEWER, platform = true)
  @Operation(summary = "See how much of its quotas a tenant uses")
  UsageView of(@PathVariable String name) {
    return UsageView.of(name, quotas.usage(name));
  }
}
