package dev.monotick.server.tenant;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
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
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Get the quota usage of the caller's tenant")
  UsageView own(Caller caller) {
    return UsageView.of(caller.tenant(), quotas.usage(caller.tenant()));
  }

  @GetMapping("/v1/tenants/{name}/usage")
  @RequiresRole(value = Role.VIEWER, platform = true)
  @Operation(summary = "Get the quota usage of a tenant")
  UsageView of(@PathVariable String name) {
    return UsageView.of(name, quotas.usage(name));
  }
}
