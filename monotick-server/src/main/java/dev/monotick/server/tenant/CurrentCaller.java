package dev.monotick.server.tenant;

import dev.monotick.server.access.Caller;
import java.util.Optional;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Who makes the request that this thread sees to. */
final class CurrentCaller {

  private CurrentCaller() {}

  static Optional<Caller> get() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    return authentication != null && authentication.getPrincipal() instanceof Caller caller
        ? Optional.of(caller)
        : Optional.empty();
  }
}
