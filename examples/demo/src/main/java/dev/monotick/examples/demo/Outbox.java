package dev.monotick.examples.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A queue of messages that all replicas drain together. Thread-safe. */
final class Outbox {

  private final Deque<Long> waiting = new ArrayDeque<>();
  private final Map<Long, Integer> timesSent = new HashMap<>();
  private long put;
  private long beingSent;
  private long sentTwice;

  /**
   * What became of the messages.
   *
   * @param put how many were put in
   * @param sent how many were sent
   * @param waiting how many were not, among them those being sent right now
   * @param sentTwice how many were sent once too often
   */
  record Figures(long put, long sent, long waiting, long sentTwice) {}

  synchronized void put(int messages) {
    for (int i = 0; i < messages; i++) {
      waiting.add(put++);
    }
  }

  /** Claims a message, null if there is none; whoever claims it sends it or gives it back. */
  synchronized @Nullable Long claim() {
    Long message = waiting.poll();
    if (message != null) {
      beingSent++;
    }
    return message;
  }

  synchronized void giveBack(long message) {
    beingSent--;
    waiting.addFirst(message);
  }

  synchronized void sent(long message) {
    beingSent--;
    if (timesSent.merge(message, 1, Integer::sum) > 1) {
      sentTwice++;
    }
  }

  synchronized Figures figures() {
    return new Figures(put, timesSent.size(), waiting.size() + beingSent, sentTwice);
  }
}
