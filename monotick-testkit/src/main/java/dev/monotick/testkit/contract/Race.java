package dev.monotick.testkit.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Runs the same thing on many threads that start together. */
public final class Race {

  private Race() {}

  /** Returns what each runner returned; fails if one of them threw. */
  public static <T> List<T> run(int runners, IntFunction<T> runner) {
    ExecutorService threads = Executors.newFixedThreadPool(runners);
    try {
      CyclicBarrier start = new CyclicBarrier(runners);
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < runners; i++) {
        int number = i;
        Callable<T> call =
            () -> {
              start.await();
              return runner.apply(number);
            };
        futures.add(threads.submit(call));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError("a runner failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the runners ran", e);
    } finally {
      threads.shutdownNow();
    }
  }
}
