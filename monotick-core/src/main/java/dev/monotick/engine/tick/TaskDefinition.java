package dev.monotick.engine.tick;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a replica registered under the name of a task, but for its body: as properties that replicas
 * can tell each other and compare.
 *
 * @param properties values by their names, in the order in which people read them
 */
record TaskDefinition(Map<String, String> properties) {

  private static final String MODE = "mode";
  private static final String GROUP = "group";

  /** What an object without a text of its own has, which differs from process to process. */
  private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{1,8}\\b");

  /**
   * Returns the definition of a task.
   *
   * @param mode how the task is run, which may differ from what it declares
   */
  static TaskDefinition of(Task spec, HaMode mode) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(MODE, mode.name());
    properties.put("schedule", spec.schedule().toString());
    properties.put("effect", spec.effect().name());
    properties.put(GROUP, spec.group());
    properties.put("overlap", spec.overlap().name());
    properties.put("catchUp", spec.catchUp().toString());
    properties.put("timeout", spec.timeout().toString());
    properties.put("backoff", spec.backoff().toString());
    properties.put("pauseAfterFailures", Integer.toString(spec.pauseAfterFailures()));
    properties.put("jitter", spec.jitter().toString());
    properties.put("runAtStart", Boolean.toString(spec.runAtStart()));
    properties.put("slots", Integer.toString(spec.slots()));
    properties.replaceAll(
        (name, value) -> IDENTITY.matcher(value.replaceAll("\\R", " ")).replaceAll("@"));
    return new TaskDefinition(properties);
  }

  /** Reads what {@link #text} wrote; an older or newer version may know other properties. */
  static TaskDefinition parse(String text) {
    Map<String, String> properties = new LinkedHashMap<>();
    text.lines()
        .forEach(
            line -> {
              int end = line.indexOf('=');
              if (end > 0) {
                properties.put(line.substring(0, end), line.substring(end + 1));
              }
            });
    return new TaskDefinition(properties);
  }

  /** Returns one {@code property=value} a line. */
  String text() {
    StringBuilder text = new StringBuilder();
    properties.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    return text.toString();
  }

  /** Returns the properties in which a definition of another replica differs. */
  List<TaskStatus.Difference> differences(TaskDefinition other, String replica) {
    List<TaskStatus.Difference> found = new ArrayList<>();
    properties.forEach(
        (name, here) -> {
          String there = other.properties.get(name);
          if (there != null && !there.equals(here)) {
            found.add(new TaskStatus.Difference(replica, name, here, there));
          }
        });
    return found;
  }

  /**
   * Returns whether ticks need no agreement on one of two definitions: each replica has ticks of
   * its own, or the leader of one group decides for both.
   */
  boolean isCompatibleWith(TaskDefinition other) {
    if (isLocal() && other.isLocal()) {
      return true;
    }
    String group = leadingGroup();
    return group != null && group.equals(other.leadingGroup());
  }

  /** Returns the group whose leader runs the task, null if it is not run by a leader. */
  @Nullable String leadingGroup() {
    return HaMode.LEADER.name().equals(properties.get(MODE))
        ? String.valueOf(properties.get(GROUP))
        : null;
  }

  private boolean isLocal() {
    String mode = properties.get(MODE);
    return HaMode.EVERY_REPLICA.name().equals(mode) || HaMode.SHARED.name().equals(mode);
  }
}
