package dev.monotick.examples.demo;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The demo on a terminal: draws twice a second, and does what the keys say. */
final class LiveDemo {

  private static final Duration FRAME = Duration.ofMillis(500);
  private static final int FRAMES_PER_SIZE_CHECK = 4;

  private final DemoState show;
  private final TerminalScreen screen;
  private final Keyboard keyboard;
  private final Executor actions;

  /**
   * Creates it.
   *
   * @param actions runs what takes a while, so that the screen goes on meanwhile
   */
  LiveDemo(DemoState show, TerminalScreen screen, Keyboard keyboard, Executor actions) {
    this.show = show;
    this.screen = screen;
    this.keyboard = keyboard;
    this.actions = actions;
  }

  /** Goes on until the user quits or the time is up. */
  void run(Duration longest) throws InterruptedException {
    TerminalScreen.Size size = keyboard.size();
    for (int frame = 1; show.uptime().compareTo(longest) < 0; frame++) {
      screen.draw(show.view(), size);
      Optional<Character> key = keyboard.await(FRAME);
      if (key.isPresent() && !handle(key.get())) {
        return;
      }
      if (frame % FRAMES_PER_SIZE_CHECK == 0) {
        size = keyboard.size();
      }
    }
  }

  /** Does what a key says; false to quit. */
  private boolean handle(char key) {
    DemoCluster cluster = show.cluster();
    switch (Character.toLowerCase(key)) {
      case 's' -> actions.execute(cluster::stopLeader);
      case 'p' -> actions.execute(cluster::cutLeaderOrHeal);
      case 'r' -> actions.execute(cluster::restart);
      case 'q' -> {
        return false;
      }
      default -> {
        // the help line says which keys there are
      }
    }
    return true;
  }
}
