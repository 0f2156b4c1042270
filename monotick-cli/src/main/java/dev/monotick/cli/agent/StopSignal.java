package dev.monotick.cli.agent;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Whether the agent was asked to stop, by SIGTERM or otherwise. Thread-safe. */
final class StopSignal {

  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Listens to the process's own signals; the process ends when the agent has. */
  void listen(Duration longest) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  request();
                  awaitEnd(longest);
                },
                "agent-stop"));
  }

  private void awaitEnd(Duration longest) {
    try {
      stopped.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks the agent to stop. */
  void request() {
    requested.countDown();
  }

  boolean isRequested() {
    return requested.getCount() == 0;
  }

  /** Waits so long, or until the agent is asked to stop. */
  void awaitRequest(Duration longest) throws InterruptedException {
    requested.await(longest.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The agent has stopped. */
  void stopped() {
    stopped.countDown();
  }
}
