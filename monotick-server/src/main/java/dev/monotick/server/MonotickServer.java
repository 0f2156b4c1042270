package dev.monotick.server;

import dev.monotick.error.SchedulerException;
import dev.monotick.server.setting.ServerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The control plane: as a process of its own, or imported by an application that has work of its
 * own for it.
 */
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
    return new SpringApplication(MonotickServer.class);
  }

  @Bean
  ServerSettings settings(ConfigurableEnvironment environment) {
    return ServerSettings.read(environment::getProperty);
  }
}
