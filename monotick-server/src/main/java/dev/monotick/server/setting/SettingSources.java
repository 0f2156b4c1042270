package dev.monotick.server.setting;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Finds out where each setting comes from. */
public final class SettingSources {

  private static final String ATTACHED = "configurationProperties"; // stands for all the others

  private SettingSources() {}

  /**
   * A setting as it is here and now.
   *
   * @param name its property
   * @param variable its environment variable
   * @param value what it is; masked if it is a secret
   * @param source where that comes from: default, environment, flag or file
   * @param about one line for people
   */
  public record Shown(String name, String variable, String value, String source, String about) {}

  /** Returns all settings. */
  public static List<Shown> of(ServerSettings settings, ConfigurableEnvironment environment) {
    Map<String, String> values = settings.shown();
    List<Shown> shown = new ArrayList<>();
    for (Setting<?> setting : SettingCatalog.ALL) {
      shown.add(
          new Shown(
              setting.name(),
              setting.variable(),
              values.getOrDefault(setting.name(), ""),
              source(setting, environment),
              setting.about()));
    }
    return shown;
  }

  private static String source(Setting<?> setting, ConfigurableEnvironment environment) {
    for (PropertySource<?> each : environment.getPropertySources()) {
      Object value = each.getName().equals(ATTACHED) ? null : each.getProperty(setting.name());
      if (value != null) {
        return String.valueOf(value).isBlank() ? "default" : word(each.getName());
      }
    }
    return "default";
  }

  private static String word(String source) {
    Map<String, String> words = new LinkedHashMap<>();
    words.put(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, "environment");
    words.put(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, "system property");
    words.put("commandLineArgs", "flag");
    return words.getOrDefault(source, "file: " + source);
  }
}
