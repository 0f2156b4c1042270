package dev.monotick.examples.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for on the command line.
 *
 * @param help whether to explain and end
 * @param plain whether to write lines although there is a terminal
 * @param longest after how long to end
 * @param logFile where the engines' logs go, null for where they usually do
 */
record DemoOptions(boolean help, boolean plain, Duration longest, @Nullable String logFile) {

  static final String HELP =
      """
      usage: ./run [options]

      Starts three replicas (alpha, bravo, charlie) in one process, on one store in memory, with
      tasks of every mode, and shows who leads, who runs what, and that each tick took effect once.

      On a terminal it redraws a table and listens to keys:
        s   stop the leader gracefully, and see another replica take over
        p   cut the leader off from the store; again: heal it
        r   restart the replicas that were stopped
        q   quit

      Without a terminal it writes a line for each event that matters and the table every 10 s,
      stops the leader once after 15 s, and starts it again after 25 s.

      Options:
        --plain         write lines although there is a terminal
        --seconds N     end after N seconds; otherwise it runs until stopped
        --log FILE      write the engines' logs there; without it they are off on a terminal,
                        and warnings go to standard error otherwise
        -h, --help      show this text

      It ends on q, Ctrl-C or SIGTERM, stops all replicas, and returns 0.
      """;

  private static final Duration ENDLESS = Duration.ofDays(36_500);

  /**
   * Reads the arguments.
   *
   * @throws IllegalArgumentException if one is unknown or wrong
   */
  static DemoOptions parse(String... arguments) {
    boolean help = false;
    boolean plain = false;
    Duration longest = ENDLESS;
    String logFile = null;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "-h", "--help" -> help = true;
        case "--plain" -> plain = true;
        case "--seconds" -> longest = seconds(value(arguments, i++));
        case "--log" -> logFile = value(arguments, i++);
        default ->
            throw new IllegalArgumentException(
                "unknown option \"" + arguments[i] + "\"; see --help for those there are");
      }
    }
    return new DemoOptions(help, plain, longest, logFile);
  }

  private static String value(String[] arguments, int option) {
    if (option + 1 >= arguments.length) {
      throw new IllegalArgumentException(
          arguments[option] + " needs a value; put it after the option");
    }
    return arguments[option + 1];
  }

  private static Duration seconds(String text) {
    try {
      long seconds = Long.parseLong(text);
      if (seconds > 0 && seconds <= ENDLESS.toSeconds()) {
        return Duration.ofSeconds(seconds);
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new IllegalArgumentException(
        "--seconds must be a whole number of at least 1, but was \"" + text + "\"; use 30, say");
  }
}
