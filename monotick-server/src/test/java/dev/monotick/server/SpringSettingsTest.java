package dev.monotick.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What Spring gets of the settings. */
class SpringSettingsTest {

  private static final String SOURCE = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

  @Test
  void portOfAKubernetesServiceIsNotTakenForOurs() {
    assertThat(portWith("tcp://10.0.0.8:9090")).isEqualTo(8080);
    assertThat(portWith("9090")).as("our own setting").isEqualTo(9090);
  }

  private static int portWith(String variable) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            SOURCE,
            new SystemEnvironmentPropertySource(SOURCE, Map.of("MONOTICK_SERVER_PORT", variable)));
    new SpringSettings()
        .onApplicationEvent(
            new ApplicationEnvironmentPreparedEvent(
                new DefaultBootstrapContext(),
                new SpringApplication(),
                new String[0],
                environment));
    return environment.getRequiredProperty("server.port", Integer.class);
  }
}
