package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * Prints how long a server takes to start, in milliseconds; the figures are in the manual. Run it
 * by hand, on a quiet machine, one line for each JVM: what a JVM does first is slower.
 */
final class StartTimes {

  private StartTimes() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String what = arguments[1];
    EmbeddedPostgresBuilder builder = EmbeddedPostgres.builder().folder(folder.resolve("server"));
    if (what.equals("unpack")) {
      builder.cache(folder.resolve("cache"));
    }
    EmbeddedPostgres[] server = new EmbeddedPostgres[1];
    print(what, () -> server[0] = builder.start());
    print("  one more in the same JVM", () -> close(builder.start()));
    if (arguments.length > 2) {
      Runtime.getRuntime().halt(0); // leaves the server, to be attached to
    }
    print("  stop", () -> close(server[0]));
  }

  private static Object close(EmbeddedPostgres server) throws IOException {
    server.close();
    return server;
  }

  private static void print(String what, Callable<?> step) throws Exception {
    long begin = System.nanoTime();
    step.call();
    System.out.println(what + " " + (System.nanoTime() - begin) / 1_000_000);
  }
}
