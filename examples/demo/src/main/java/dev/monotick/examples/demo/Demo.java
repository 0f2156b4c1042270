package dev.monotick.examples.demo;

import dev.monotick.spi.time.TimeSource;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Starts the demo; see {@code --help}. */
public final class Demo {

  private static final Duration STEP = Duration.ofMillis(200);

  private final DemoOptions options;
  private final PrintStream out = System.out;
  private final AtomicInteger status = new AtomicInteger();

  private Demo(DemoOptions options) {
    this.options = options;
  }

  /** Runs until the user, a signal or {@code --seconds} ends it. */
  public static void main(String... arguments) throws InterruptedException {
    DemoOptions options;
    try {
      options = DemoOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      System.out.print(DemoOptions.HELP);
      return;
    }
    new Demo(options).run();
  }

  private void run() throws InterruptedException {
    boolean mayDraw =
        !options.plain() && !"dumb".equals(System.getenv("TERM")) && Keyboard.isTerminal();
    Optional<Keyboard> keyboard = mayDraw ? Keyboard.open(System.in) : Optional.empty();
    configureLogs(keyboard.isPresent());
    try {
      if (keyboard.isPresent()) {
        runLive(keyboard.get());
      } else {
        runUnattended();
      }
    } catch (RuntimeException | Error e) {
      status.set(1);
      e.printStackTrace();
    } finally {
      System.exit(status.get());
    }
  }

  private void runLive(Keyboard keyboard) throws InterruptedException {
    boolean colour = System.getenv("NO_COLOR") == null;
    TerminalScreen screen = new TerminalScreen(out, colour);
    DemoState show = newShow(line -> {});
    atExit(
        show,
        () -> {
          screen.end();
          keyboard.close();
        });
    show.cluster().start();
    ExecutorService actions =
        Executors.newSingleThreadExecutor(
            action -> {
              Thread thread = new Thread(action, "demo-actions");
              thread.setDaemon(true);
              return thread;
            });
    new LiveDemo(show, screen, keyboard, actions).run(options.longest());
  }

  private void runUnattended() throws InterruptedException {
    DemoState show = newShow(out::println);
    atExit(show, () -> {});
    show.log().add("three replicas start; the leader will be stopped after 15 s (see --help)");
    show.cluster().start();
    UnattendedDemo unattended = new UnattendedDemo(show, out::println);
    CountDownLatch never = new CountDownLatch(1);
    while (show.uptime().compareTo(options.longest()) < 0) {
      unattended.step();
      boolean unused = never.await(STEP.toMillis(), TimeUnit.MILLISECONDS);
    }
    unattended.printTable();
  }

  private static DemoState newShow(Consumer<String> follower) {
    return new DemoState(
        TimeSource.system(), ZoneId.systemDefault(), UnaryOperator.identity(), follower);
  }

  /**
   * Whatever ends the process, a signal too: stop the engines, give the terminal back, return 0.
   */
  private void atExit(DemoState show, Runnable giveBack) {
    Runnable end =
        () -> {
          giveBack.run();
          boolean clean = show.cluster().stop();
          ClusterView.Proof proof = show.view().proof();
          out.printf(
              "All replicas stopped%s. %d ticks took effect, duplicates=%d%n",
              clean ? "" : ", though some bodies ignored it", proof.ran(), proof.duplicates());
          out.flush();
          // Else a signal would show in the status, although all went as it should.
          Runtime.getRuntime().halt(status.get());
        };
    Runtime.getRuntime().addShutdownHook(new Thread(end, "demo-end"));
  }

  /** To be called before the first logger is made. */
  private void configureLogs(boolean live) {
    String logFile = options.logFile();
    System.setProperty("org.slf4j.simpleLogger.showDateTime", "true");
    System.setProperty("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS");
    if (logFile != null) {
      System.setProperty("org.slf4j.simpleLogger.logFile", logFile);
      System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "info");
    } else {
      System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", live ? "off" : "warn");
    }
  }
}
