package dev.monotick.server.setting;

import java.util.Locale;
import java.util.function.Function;

/**
 * One thing that can be set.
 *
 * @param name its property, such as {@code monotick.server.port}; the variable is the same in
 *     capitals with underscores
 * @param fallback what it is if nobody sets it, as one would write it; empty for nothing
 * @param read makes the value of a text, or throws an {@link IllegalArgumentException} that says
 *     what it must be
 * @param secret whether its value is never shown
 * @param about one line for people
 */
public record Setting<T>(
    String name, String fallback, Function<String, T> read, boolean secret, String about) {

  /** Returns the name of the environment variable. */
  public String variable() {
    return name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }
}
