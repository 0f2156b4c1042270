package dev.monotick.chaos.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Everything that the processes of a run said, in the order it was heard. Thread-safe. Whoever runs
 * a scenario waits for entries here, so that nobody has to sleep and hope.
 */
public final class Journal {

  private static final int TAIL = 40;

  private final List<Entry> entries = new ArrayList<>(); // guarded by itself

  /**
   * An event and who told it.
   *
   * @param source the process, a new name for every start
   * @param event what it told
   */
  public record Entry(String source, HistoryEvent event) {

    /** Says whether the event is of that kind. */
    public boolean is(String kind) {
      return event.kind().equals(kind);
    }

    @Override
    public String toString() {
      return source + "\t" + event.line();
    }
  }

  /** Adds what a process told. */
  public void add(String source, HistoryEvent event) {
    synchronized (entries) {
      entries.add(new Entry(source, event));
      entries.notifyAll();
    }
  }

  /** Returns how much was heard so far: a mark to wait from. */
  public int mark() {
    synchronized (entries) {
      return entries.size();
    }
  }

  /** Returns all entries. */
  public List<Entry> all() {
    return since(0);
  }

  /** Returns the entries after a mark. */
  public List<Entry> since(int mark) {
    synchronized (entries) {
      return List.copyOf(entries.subList(mark, entries.size()));
    }
  }

  /** Returns the entries of that kind. */
  public Stream<Entry> of(String kind) {
    return all().stream().filter(entry -> entry.is(kind));
  }

  /**
   * Waits for an entry.
   *
   * @param what names it, for the message if it does not come
   * @param mark where to begin to look
   */
  public Entry await(String what, Duration patience, int mark, Predicate<Entry> wanted) {
    return find(patience, mark, wanted)
        .orElseThrow(() -> new IllegalStateException(complaint(what, patience)));
  }

  /** Waits for an entry; empty if it did not come in time. */
  public Optional<Entry> find(Duration patience, int mark, Predicate<Entry> wanted) {
    long deadline = System.nanoTime() + patience.toNanos();
    synchronized (entries) {
      int next = mark;
      while (true) {
        for (; next < entries.size(); next++) {
          if (wanted.test(entries.get(next))) {
            return Optional.of(entries.get(next));
          }
        }
        if (!waitForMore(deadline)) {
          return Optional.empty();
        }
      }
    }
  }

  /** Waits until a condition on what was heard holds; looked at again whenever more was heard. */
  public void awaitUntil(String what, Duration patience, Predicate<Journal> condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    synchronized (entries) {
      while (!condition.test(this)) {
        if (!waitForMore(deadline)) {
          throw new IllegalStateException(complaint(what, patience));
        }
      }
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the callers are the loops
  private boolean waitForMore(long deadline) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    try {
      entries.wait(left / 1_000_000 + 1);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a process", e);
    }
  }

  private String complaint(String what, Duration patience) {
    StringBuilder text = new StringBuilder("no ").append(what).append(" within ").append(patience);
    List<Entry> heard = all();
    text.append("; the last of ").append(heard.size()).append(" entries were:");
    heard
        .subList(Math.max(0, heard.size() - TAIL), heard.size())
        .forEach(entry -> text.append("\n  ").append(entry));
    return text.toString();
  }
}
