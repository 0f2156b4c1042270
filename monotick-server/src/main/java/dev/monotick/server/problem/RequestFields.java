package dev.monotick.server.problem;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads fields of requests; what cannot be is refused under the field's name. */
public final class RequestFields {

  private RequestFields() {}

  /** Returns a field that must be there. */
  public static <T> T required(String field, @Nullable T value) {
    if (value == null || (value instanceof String text && text.isBlank())) {
      throw Problem.invalid(field, field + " is missing");
    }
    return value;
  }

  /** Returns a name: 1 to {@code most} letters, digits and {@code ._-}. */
  public static String name(String field, @Nullable String value, int most) {
    String given = required(field, value);
    if (given.length() > most || !given.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw Problem.invalid(
          field,
          field
              + " must be 1 to "
              + most
              + " letters, digits and ._- and begin with a letter or digit, but was \""
              + shortened(given)
              + "\"");
    }
    return given;
  }

  /** Reads a duration such as {@code PT30S}. */
  public static Duration duration(String field, String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw Problem.invalid(
          field, field + " must be a duration such as PT30S, but was \"" + shortened(text) + "\"");
    }
  }

  /** Reads an instant such as {@code 2026-01-31T12:00:00Z}. */
  public static Instant instant(String field, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw Problem.invalid(
          field,
          field
              + " must be a moment such as 2026-01-31T12:00:00Z, but was \""
              + shortened(text)
              + "\"");
    }
  }

  /** Does something whose {@link IllegalArgumentException} is the field's fault. */
  public static <T> T checked(String field, Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(field, String.valueOf(e.getMessage()));
    }
  }

  /** Returns a number of a range, or the fallback if it was not given. */
  public static int number(
      String field, @Nullable Integer value, int fallback, int least, int most) {
    int number = value == null ? fallback : value;
    if (number < least || number > most) {
      throw Problem.invalid(
          field, field + " must be " + least + " to " + most + ", but was " + number);
    }
    return number;
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "…";
  }
}
