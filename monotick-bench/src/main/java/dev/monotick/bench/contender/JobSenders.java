package dev.monotick.bench.contender;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The ways in which jobs are added. Each tells how many were added and how long that took. */
final class JobSenders {

  static final int CALL = 1000;

  private static final int LOAD_STEP_MILLIS = 20;

  private final JobEngine engine;
  private final Clock clock = Clock.systemUTC();

  /** Numbers of jobs that only are to be there: beyond those that a tally tells apart. */
  private final AtomicInteger next = new AtomicInteger(1_000_000_000);

  private interface Step {
    int add() throws Exception;
  }

  JobSenders(JobEngine engine) {
    this.engine = engine;
  }

  /** Adds jobs with those numbers, a thousand by each call. */
  String add(int from, int count) throws Exception {
    long start = System.nanoTime();
    for (int done = 0; done < count; done += CALL) {
      engine.many(from + done, Math.min(CALL, count - done));
    }
    return count + " " + (System.nanoTime() - start);
  }

  /** Adds a thousand jobs by each call for a time. */
  String bulk(int millis) throws Exception {
    return repeat(
        millis,
        () -> {
          engine.many(next.getAndAdd(CALL), CALL);
          return CALL;
        });
  }

  /** Adds jobs one by one for a time, on some threads at once. */
  String threads(int threads, int millis) throws Exception {
    Step step =
        () -> {
          engine.one(next.getAndIncrement());
          return 1;
        };
    if (threads == 1) {
      return repeat(millis, step);
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      long start = System.nanoTime();
      List<Future<Integer>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        parts.add(executor.submit(() -> count(millis, step)));
      }
      int count = 0;
      for (Future<Integer> part : parts) {
        count += part.get();
      }
      return count + " " + (System.nanoTime() - start);
    } finally {
      executor.shutdown();
    }
  }

  private static String repeat(int millis, Step step) throws Exception {
    long start = System.nanoTime();
    int count = count(millis, step);
    return count + " " + (System.nanoTime() - start);
  }

  private static int count(int millis, Step step) throws Exception {
    long end = System.nanoTime() + millis * 1_000_000L;
    int count = 0;
    while (System.nanoTime() < end) {
      count += step.add();
    }
    return count;
  }

  /**
   * Adds jobs with those numbers, one at each step of time, and returns when each call began and
   * returned, in microseconds of the wall clock: {@code 0:1000:1900,1:51000:51800}.
   */
  String pace(int from, int count, int stepMillis) throws Exception {
    StringBuilder text = new StringBuilder();
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      waitUntil(start + 1_000_000L * i * stepMillis);
      long begun = micros();
      engine.one(from + i);
      text.append(i == 0 ? "" : ",").append(from + i).append(':').append(begun);
      text.append(':').append(micros());
    }
    return text.toString();
  }

  /** Adds so many jobs a second, in bulk, for a time; as many as it can if that is 0. */
  String load(int perSecond, int millis) throws Exception {
    if (perSecond == 0) {
      return bulk(millis);
    }
    long start = System.nanoTime();
    long count = 0;
    for (int at = LOAD_STEP_MILLIS; at <= millis; at += LOAD_STEP_MILLIS) {
      long due = (long) perSecond * at / 1000;
      if (due > count) {
        int more = (int) (due - count);
        engine.many(next.getAndAdd(more), more);
        count = due;
      }
      waitUntil(start + at * 1_000_000L);
    }
    return count + " " + (System.nanoTime() - start);
  }

  private long micros() {
    Instant now = clock.instant();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
  }

  private static void waitUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
