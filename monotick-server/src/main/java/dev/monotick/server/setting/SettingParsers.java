package dev.monotick.server.setting;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** How texts become values of settings; each refusal says what is wanted. */
final class SettingParsers {

  private static final Pattern PAIR = Pattern.compile("[A-Za-z0-9_-]{1,100}=[!-~][ -~]*");

  private SettingParsers() {}

  static Setting<String> text(String name, String fallback, String about) {
    return new Setting<>(name, fallback, text -> text, false, about);
  }

  static Setting<String> secret(String name, String about) {
    return new Setting<>(name, "", text -> text, true, about);
  }

  /** Secrets by name: {@code name=value}, with commas between several. */
  static Setting<Map<String, String>> secrets(String name, String about) {
    return new Setting<>(name, "", SettingParsers::pairs, true, about);
  }

  static Setting<Integer> number(String name, int fallback, int least, int most, String about) {
    return new Setting<>(
        name, String.valueOf(fallback), text -> whole(text, least, most), false, about);
  }

  /** A number that may be {@code unlimited}, which is -1. */
  static Setting<Long> limit(String name, long fallback, String about) {
    return new Setting<>(
        name,
        fallback < 0 ? "unlimited" : String.valueOf(fallback),
        text ->
            text.strip().equalsIgnoreCase("unlimited")
                ? -1L
                : (long) whole(text, 0, Integer.MAX_VALUE),
        false,
        about + ", or unlimited");
  }

  static Setting<Boolean> yesNo(String name, boolean fallback, String about) {
    return new Setting<>(name, String.valueOf(fallback), SettingParsers::yes, false, about);
  }

  static Setting<Duration> duration(
      String name, Duration fallback, Duration least, Duration most, String about) {
    return new Setting<>(
        name, fallback.toString(), text -> duration(text, least, most), false, about);
  }

  /** An address of another service; none if empty. */
  static Setting<String> address(String name, String example, String about) {
    return new Setting<>(name, "", text -> address(text.strip(), example), false, about);
  }

  /** A part of the whole, from 0 to 1. */
  static Setting<Double> share(String name, double fallback, String about) {
    return new Setting<>(name, String.valueOf(fallback), SettingParsers::share, false, about);
  }

  static Setting<Rate> rate(String name, String fallback, String about) {
    return new Setting<>(name, fallback, Rate::parse, false, about);
  }

  static <E extends Enum<E>> Setting<E> word(String name, E fallback, Class<E> type, String about) {
    return new Setting<>(name, fallback.name(), text -> word(text, type), false, about);
  }

  private static int whole(String text, int least, int most) {
    try {
      int value = Integer.parseInt(text.strip());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like a number out of range
    }
    throw new IllegalArgumentException(
        "must be a whole number from " + least + " to " + most + ", but was \"" + text + "\"");
  }

  private static String address(String text, String example) {
    if (text.isEmpty()) {
      return text;
    }
    try {
      URI address = new URI(text);
      if (address.getHost() != null
          && address.getUserInfo() == null
          && address.getRawFragment() == null
          && address.getPort() <= 65_535
          && text.matches("(?i)https?://.*")) {
        return text;
      }
    } catch (URISyntaxException e) {
      // told below, like another address that cannot be
    }
    throw new IllegalArgumentException(
        "must be an http or https address with a host and without a user, such as "
            + example
            + ", but was \""
            + text.replaceFirst("//[^/]*@", "//…@") // passwords do not belong into logs
            + "\"; leave it out for none");
  }

  private static double share(String text) {
    try {
      double value = Double.parseDouble(text.strip());
      if (value >= 0 && value <= 1) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like a number out of range
    }
    throw new IllegalArgumentException(
        "must be a number from 0 to 1, such as 0.1, but was \"" + text + "\"");
  }

  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    if (text.isBlank()) {
      return pairs;
    }
    for (String pair : text.split(",", -1)) {
      if (!PAIR.matcher(pair.strip()).matches()) {
        throw new IllegalArgumentException(
            "must be name=value, with commas between several, but the one in place "
                + (pairs.size() + 1)
                + " is not"); // it may be a secret all the same
      }
      int at = pair.indexOf('=');
      pairs.put(pair.substring(0, at).strip(), pair.substring(at + 1).strip());
    }
    return pairs;
  }

  private static boolean yes(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on", "1" -> true;
      case "false", "no", "off", "0" -> false;
      default ->
          throw new IllegalArgumentException("must be true or false, but was \"" + text + "\"");
    };
  }

  private static <E extends Enum<E>> E word(String text, Class<E> type) {
    String wanted = text.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be one of "
                        + Arrays.toString(type.getEnumConstants())
                        + ", but was \""
                        + text
                        + "\""));
  }

  /** Reads {@code 90s}, {@code 5m}, {@code 250ms}, {@code 24h}, {@code 7d}, or {@code PT1M30S}. */
  static Duration duration(String text, Duration least, Duration most) {
    Duration value = duration(text.strip());
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "must be between " + least + " and " + most + ", but was \"" + text + "\"");
    }
    return value;
  }

  private static Duration duration(String text) {
    try {
      String lower = text.toLowerCase(Locale.ROOT);
      if (lower.startsWith("p")) {
        return Duration.parse(text);
      }
      if (lower.endsWith("ms")) {
        return Duration.ofMillis(Long.parseLong(lower.substring(0, lower.length() - 2)));
      }
      long amount = Long.parseLong(lower.substring(0, Math.max(0, lower.length() - 1)));
      return switch (lower.charAt(lower.length() - 1)) {
        case 's' -> Duration.ofSeconds(amount);
        case 'm' -> Duration.ofMinutes(amount);
        case 'h' -> Duration.ofHours(amount);
        case 'd' -> Duration.ofDays(amount);
        default -> throw new NumberFormatException();
      };
    } catch (NumberFormatException | DateTimeParseException | StringIndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "must be a duration such as 500ms, 30s, 5m, 24h or PT1M30S, but was \"" + text + "\"", e);
    }
  }
}
