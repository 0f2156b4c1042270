package dev.monotick.server;

import dev.monotick.SchedulerException;
import dev.monotick.server.setting.Known;
import dev.monotick.server.setting.Settings;
import dev.monotick.server.setting.Variables;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** The control plane as a process of its own. */
@SpringBootApplication
public class MonotickServer {

  private static final Logger log = LoggerFactory.getLogger(MonotickServer.class);

  /** Starts the server; what is wrong with its settings is told in words. */
  public static void main(String[] arguments) {
    try {
      application().run(arguments);
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      if (e instanceof IllegalArgumentException
          || cause instanceof IllegalArgumentException
          || cause instanceof SchedulerException) {
        log.error("The server cannot start:\n{}", cause.getMessage());
        System.exit(1);
      }
      throw e;
    }
  }

  /** Returns the application, so that tests and others may start several of them. */
  public static SpringApplication application() {
    SpringApplication application = new SpringApplication(MonotickServer.class);
    application.addInitializers(
        (ApplicationContextInitializer<ConfigurableApplicationContext>)
            context -> prepare(context.getEnvironment()));
    return application;
  }

  /** Hands Spring what it takes from our settings, so that each thing has one name. */
  private static void prepare(ConfigurableEnvironment environment) {
    Settings settings = Settings.read(environment::getProperty);
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "monotick",
                Map.of(
                    "server.port", settings.get(Known.PORT),
                    "server.address", orAll(settings.get(Known.ADDRESS)),
                    "spring.lifecycle.timeout-per-shutdown-phase",
                        settings.get(Known.SHUTDOWN_GRACE).plusSeconds(5).toString())));
    Variables.unknown(System.getenv().keySet()).forEach(each -> log.warn("{}", each));
  }

  private static String orAll(String address) {
    return address.isEmpty() ? "0.0.0.0" : address;
  }

  @Bean
  Settings settings(ConfigurableEnvironment environment) {
    return Settings.read(environment::getProperty);
  }
}
