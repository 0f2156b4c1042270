package dev.monotick.schedule.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** English for lists and numbers. */
public final class Words {

  private static final List<String> ORDINALS =
      List.of("zeroth", "first", "second", "third", "fourth", "fifth");

  private Words() {}

  /** Returns "a", "a and b", "a, b and c". */
  public static String list(List<String> items, String conjunction) {
    int last = items.size() - 1;
    return last <= 0
        ? String.join("", items)
        : String.join(", ", items.subList(0, last)) + " " + conjunction + " " + items.get(last);
  }

  /** Names the set bits; three or more in a row become "a to c". */
  public static String values(long bits, IntFunction<String> name) {
    List<String> items = new ArrayList<>();
    int from = Long.numberOfTrailingZeros(bits);
    while (from < 64) {
      int length = Long.numberOfTrailingZeros(~(bits >>> from));
      if (length >= 3) {
        items.add(name.apply(from) + " to " + name.apply(from + length - 1));
      } else {
        for (int value = from; value < from + length; value++) {
          items.add(name.apply(value));
        }
      }
      int after = from + length;
      long rest = after >= 64 ? 0 : bits & (-1L << after);
      from = Long.numberOfTrailingZeros(rest);
    }
    return list(items, "and");
  }

  /** Returns "first" to "fifth", then "6th". */
  public static String ordinal(int number) {
    return number < ORDINALS.size() ? ORDINALS.get(number) : number + "th";
  }
}
