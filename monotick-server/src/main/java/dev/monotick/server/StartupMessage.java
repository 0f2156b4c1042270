package dev.monotick.server;

import dev.monotick.Monotick;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import java.net.InetAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Says where the server is when it is ready, so that nobody has to look for it. */
@Component
class StartupMessage {

  private static final Logger log = LoggerFactory.getLogger(StartupMessage.class);

  private final Monotick monotick;
  private final ServerSettings settings;

  StartupMessage(Monotick monotick, ServerSettings settings) {
    this.monotick = monotick;
    this.settings = settings;
  }

  @EventListener
  void ready(ApplicationReadyEvent event) {
    if (event.getApplicationContext() instanceof WebServerApplicationContext context
        && context.getWebServer() != null) {
      String url =
          (settings.get(PlatformSettings.TLS_CERTIFICATE).isEmpty() ? "http://" : "https://")
              + InetAddress.getLoopbackAddress().getHostAddress()
              + ":"
              + context.getWebServer().getPort();
      log.info(
          "Replica {} is ready after {} ms: {}/v1 (API: {}/v1/openapi, health: {}/health)",
          monotick.replicaName(),
          event.getTimeTaken() == null ? "?" : event.getTimeTaken().toMillis(),
          url,
          url,
          url);
    }
  }
}
