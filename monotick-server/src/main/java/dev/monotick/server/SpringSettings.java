package dev.monotick.server;

import dev.monotick.server.setting.EnvironmentCheck;
import dev.monotick.server.setting.LogFormat;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ReplicaName;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationContextInitializedEvent;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.ResourcePropertySource;

/**
 * Hands Spring what it takes from our settings, so that each thing has one name: after the settings
 * can be read, and before logging is set up by them. What the server wants otherwise than Spring
 * has it is in a file of its own, not in {@code application.properties}: that name belongs to the
 * application that the server may be part of.
 */
final class SpringSettings implements SmartApplicationListener {

  /** After Spring's listener that reads property files, before the one that sets up logging. */
  private static final int BETWEEN = Ordered.HIGHEST_PRECEDENCE + 15;

  @Override
  public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
    return ApplicationEnvironmentPreparedEvent.class.isAssignableFrom(type)
        || ApplicationContextInitializedEvent.class.isAssignableFrom(type);
  }

  @Override
  public int getOrder() {
    return BETWEEN;
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    if (event instanceof ApplicationEnvironmentPreparedEvent prepared) {
      prepare(prepared.getEnvironment());
    } else {
      Logger log = LoggerFactory.getLogger(SpringSettings.class);
      EnvironmentCheck.unknown(EnvironmentCheck.withoutServiceLinks(System.getenv()).keySet())
          .forEach(each -> log.warn("{}", each));
    }
  }

  private static void prepare(ConfigurableEnvironment environment) {
    EnvironmentCheck.ignoreServiceLinks(environment);
    ServerSettings settings = ServerSettings.read(environment::getProperty);
    Map<String, Object> properties = new LinkedHashMap<>();
    String address = settings.get(SettingCatalog.ADDRESS);
    properties.put("server.port", settings.get(SettingCatalog.PORT));
    properties.put("server.address", address.isEmpty() ? "0.0.0.0" : address);
    properties.put(
        "spring.lifecycle.timeout-per-shutdown-phase",
        settings
            .get(SettingCatalog.SHUTDOWN_GRACE)
            .plus(settings.get(PlatformSettings.SHUTDOWN_ANNOUNCE))
            .plusSeconds(5)
            .toString());
    // ForwardedHeaders does it, which believes only the proxies that the operator names.
    properties.put("server.forward-headers-strategy", "none");
    if (settings.get(PlatformSettings.LOG_FORMAT) == LogFormat.JSON) {
      properties.put("logging.structured.format.console", "ecs");
      properties.put("logging.structured.json.add.replica", ReplicaName.of(settings));
    }
    tls(settings, properties);
    environment.getPropertySources().addFirst(new MapPropertySource("monotick", properties));
    environment.getPropertySources().addLast(defaults());
  }

  private static PropertySource<?> defaults() {
    try {
      return new ResourcePropertySource(
          "monotick-defaults", new ClassPathResource("defaults.properties", SpringSettings.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void tls(ServerSettings settings, Map<String, Object> properties) {
    String certificate = settings.get(PlatformSettings.TLS_CERTIFICATE);
    String key = settings.get(PlatformSettings.TLS_KEY);
    if (certificate.isEmpty() && key.isEmpty()) {
      return;
    }
    readable("MONOTICK_TLS_CERTIFICATE", certificate);
    readable("MONOTICK_TLS_KEY", key);
    String bundle = "spring.ssl.bundle.pem.monotick.";
    properties.put(bundle + "keystore.certificate", Path.of(certificate).toUri().toString());
    properties.put(bundle + "keystore.private-key", Path.of(key).toUri().toString());
    properties.put(bundle + "reload-on-update", "true"); // certificates are renewed
    properties.put("server.ssl.bundle", "monotick");
    properties.put("server.ssl.enabled-protocols", "TLSv1.3,TLSv1.2");
  }

  private static void readable(String variable, String file) {
    if (file.isEmpty() || !Files.isReadable(Path.of(file))) {
      throw new IllegalArgumentException(
          variable
              + " must be a PEM file that can be read, but was \""
              + file
              + "\"; certificate and key are set together or not at all");
    }
  }
}
