package dev.monotick.server.setting;

import dev.monotick.internal.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Looks at the environment for what somebody has probably misspelled. */
public final class Variables {

  private static final String PREFIX = "MONOTICK_";
  private static final String TASK = "MONOTICK_TASK_"; // the engine knows which tasks there are

  private Variables() {}

  /** Returns a line for each variable of ours that means nothing, with the nearest that does. */
  public static List<String> unknown(Collection<String> variables) {
    return variables.stream()
        .filter(name -> name.startsWith(PREFIX) && !name.startsWith(TASK))
        .filter(name -> Known.ALL.stream().noneMatch(each -> each.variable().equals(name)))
        .sorted()
        .map(name -> name + " is not known and has no effect" + nearest(name))
        .toList();
  }

  private static String nearest(String name) {
    Optional<String> best =
        Known.ALL.stream()
            .map(Setting::variable)
            .min(Comparator.comparingInt(each -> EditDistance.between(name, each)));
    return best.filter(each -> EditDistance.between(name, each) <= 6)
        .map(each -> "; did you mean " + each + "?")
        .orElse("");
  }
}
