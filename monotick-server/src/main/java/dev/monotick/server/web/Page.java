package dev.monotick.server.web;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Part of a list.
 *
 * @param items what is on it
 * @param next what to give as {@code after} to read on; empty if this is the end
 */
public record Page<T>(List<T> items, Optional<String> next) {

  /** The most that one page has. */
  public static final int MOST = 500;

  /** What one page has if nobody says otherwise. */
  public static final int USUAL = 50;

  /** Makes a page of what was read, which is one more than fits if there is more. */
  public static <T> Page<T> of(List<T> read, int limit, Function<T, String> mark) {
    if (read.size() <= limit) {
      return new Page<>(List.copyOf(read), Optional.empty());
    }
    List<T> items = List.copyOf(read.subList(0, limit));
    return new Page<>(items, Optional.of(mark.apply(items.get(limit - 1))));
  }
}
