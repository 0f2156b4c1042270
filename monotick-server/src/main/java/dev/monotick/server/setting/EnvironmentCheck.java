package dev.monotick.server.setting;

import dev.monotick.schedule.internal.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Looks at the environment for what somebody has probably misspelled. */
public final class EnvironmentCheck {

  private static final String PREFIX = "MONOTICK_";
  private static final String TASK = "MONOTICK_TASK_"; // the engine knows which tasks there are

  /** What Kubernetes injects for a Service, see "service links" of its pods. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "MONOTICK(_[A-Z0-9_]+)?(_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)"
              + "|_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  /**
   * The value of {@code <SERVICE>_PORT}. The name does not tell: a Service named monotick-server
   * gives MONOTICK_SERVER_PORT, which is a setting of ours.
   */
  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private EnvironmentCheck() {}

  /** Hides from the environment what Kubernetes injects for Services named like us. */
  public static void ignoreServiceLinks(ConfigurableEnvironment environment) {
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    PropertySource<?> source = environment.getPropertySources().get(name);
    if (source != null && source.getSource() instanceof Map<?, ?> variables) {
      Map<String, Object> all = new LinkedHashMap<>();
      variables.forEach((key, value) -> all.put(String.valueOf(key), value));
      Map<String, Object> kept = withoutServiceLinks(all);
      if (kept.size() < all.size()) {
        environment
            .getPropertySources()
            .replace(name, new SystemEnvironmentPropertySource(name, kept));
      }
    }
  }

  /** Returns the variables without those that Kubernetes injects for Services named like us. */
  public static Map<String, Object> withoutServiceLinks(Map<String, ?> variables) {
    Map<String, Object> kept = new LinkedHashMap<>();
    variables.forEach(
        (name, value) -> {
          if (!isServiceLink(name, String.valueOf(value))) {
            kept.put(name, value);
          }
        });
    return kept;
  }

  private static boolean isServiceLink(String name, String value) {
    return name.startsWith(PREFIX)
        && (SERVICE_LINK.matcher(name).matches()
            || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches()));
  }

  /** Returns a line for each variable of ours that means nothing, with the nearest that does. */
  public static List<String> unknown(Collection<String> variables) {
    return variables.stream()
        .filter(name -> name.startsWith(PREFIX) && !name.startsWith(TASK))
        .filter(name -> SettingCatalog.ALL.stream().noneMatch(each -> each.variable().equals(name)))
        .sorted()
        .map(name -> name + " is not known and has no effect" + nearest(name))
        .toList();
  }

  private static String nearest(String name) {
    Optional<String> best =
        SettingCatalog.ALL.stream()
            .map(Setting::variable)
            .min(Comparator.comparingInt(each -> EditDistance.between(name, each)));
    return best.filter(each -> EditDistance.between(name, each) <= 6)
        .map(each -> "; did you mean " + each + "?")
        .orElse("");
  }
}
