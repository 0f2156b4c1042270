package dev.monotick.cli;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The little JSON the command line writes. */
final class Json {

  private Json() {}

  static String explanation(String description, List<Instant> fires) {
    return "{\"description\":"
        + string(description)
        + ",\"fires\":"
        + fires.stream()
            .map(fire -> string(fire.toString()))
            .collect(Collectors.joining(",", "[", "]"))
        + "}";
  }

  static String string(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
