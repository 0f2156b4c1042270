package dev.monotick.server.execution;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a {@code command} job.
 *
 * @param command name of a command on the operator's list
 * @param args its arguments, as they are: no shell reads them
 * @param env what its environment has besides
 */
public record Command(String command, List<String> args, Map<String, String> env) {

  private static final int MOST_ARGUMENTS = 500;
  private static final int LONGEST = 8_000;

  /** Fills in defaults and refuses what cannot be. */
  public Command(
      @Nullable String command, @Nullable List<String> args, @Nullable Map<String, String> env) {
    this.command = RequestFields.name("payload.command", command, 100);
    this.args = arguments("payload.args", args == null ? List.of() : args);
    this.env = environment("payload.env", env == null ? Map.of() : env);
  }

  /** Returns arguments that a process can be given. */
  public static List<String> arguments(String field, List<String> given) {
    boolean wrong = given.size() > MOST_ARGUMENTS || given.stream().anyMatch(each -> isWrong(each));
    if (wrong) {
      throw Problem.invalid(
          field,
          field
              + " must be at most "
              + MOST_ARGUMENTS
              + " texts of at most "
              + LONGEST
              + " characters");
    }
    return List.copyOf(given);
  }

  /** Returns variables that a process can be given; none that load code into it. */
  public static Map<String, String> environment(String field, Map<String, String> given) {
    given.forEach(
        (name, value) -> {
          if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,99}")
              || name.matches("(?i)LD_.*|DYLD_.*|PATH|BASH_ENV|ENV|JAVA_TOOL_OPTIONS")
              || isWrong(value)) {
            throw Problem.invalid(
                field,
                field
                    + " must have names of letters, digits and _, none that decide what code runs,"
                    + " and values of at most "
                    + LONGEST
                    + " characters, but had \""
                    + name.substring(0, Math.min(100, name.length()))
                    + "\"");
          }
        });
    return Map.copyOf(given);
  }

  private static boolean isWrong(@Nullable String text) {
    return text == null || text.length() > LONGEST || text.indexOf('\0') >= 0;
  }
}
