package dev.monotick.server.setting;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is set here and now. Immutable; read once at the start, so that it is wrong then or never.
 */
public final class ServerSettings {

  /** Where texts come from. */
  @FunctionalInterface
  public interface Source {

    /** Returns the text of a property, or null if nobody set it. */
    @Nullable String get(String property);
  }

  private final Map<Setting<?>, Object> values;
  private final Map<Setting<?>, String> texts;

  private ServerSettings(Map<Setting<?>, Object> values, Map<Setting<?>, String> texts) {
    this.values = values;
    this.texts = texts;
  }

  /**
   * Reads all settings.
   *
   * @param source what was set
   * @throws IllegalArgumentException that names everything that is wrong
   */
  public static ServerSettings read(Source source) {
    Map<Setting<?>, Object> values = new LinkedHashMap<>();
    Map<Setting<?>, String> texts = new LinkedHashMap<>();
    List<String> wrong = new ArrayList<>();
    for (Setting<?> setting : SettingCatalog.ALL) {
      String given = source.get(setting.name());
      String text = given == null || given.isBlank() ? setting.fallback() : given;
      try {
        values.put(setting, setting.read().apply(text));
        texts.put(setting, text);
      } catch (IllegalArgumentException e) {
        wrong.add(setting.variable() + " (" + setting.about() + ") " + e.getMessage());
      }
    }
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", wrong));
    }
    return new ServerSettings(values, texts);
  }

  /** Returns the value of a setting. */
  @SuppressWarnings("unchecked") // the map has under each setting what its own reader made
  public <T> T get(Setting<T> setting) {
    Object value = values.get(setting);
    if (value == null) {
      throw new IllegalStateException(setting.name() + " is not in Known.ALL");
    }
    return (T) value;
  }

  /** Returns all settings as people may see them: secrets are masked. */
  public Map<String, String> shown() {
    Map<String, String> shown = new LinkedHashMap<>();
    texts.forEach(
        (setting, text) ->
            shown.put(setting.name(), setting.secret() && !text.isEmpty() ? "********" : text));
    return shown;
  }
}
