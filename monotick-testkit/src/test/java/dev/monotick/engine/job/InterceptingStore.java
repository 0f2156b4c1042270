package dev.monotick.engine.job;

import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * A store whose jobs are asked through somebody who may answer otherwise.
 *
 * @param store the real one
 * @param tap who hears every call
 */
record InterceptingStore(Store store, Tap tap) implements Store {

  /** Hears calls of the store of jobs. */
  @FunctionalInterface
  interface Tap {

    /**
     * Returns the answer.
     *
     * @param arguments of the call; null if it has none
     * @param rest asks the real store
     */
    @Nullable Object call(Method method, Object @Nullable [] arguments, Rest rest) throws Throwable;
  }

  /** The real store's answer to a call. */
  @FunctionalInterface
  interface Rest {

    @Nullable Object ask() throws Throwable;
  }

  @Override
  public TickLedger ledger() {
    return store.ledger();
  }

  @Override
  public MemberRegistry replicas() {
    return store.replicas();
  }

  @Override
  public LeaderElection leaders() {
    return store.leaders();
  }

  @Override
  public JobStore jobs() {
    return tapped(store.jobs(), tap);
  }

  /** Returns the same for a store of jobs alone. */
  static JobStore tapped(JobStore jobs, Tap tap) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                tap.call(
                    method,
                    arguments,
                    () -> {
                      try {
                        return method.invoke(jobs, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    }));
  }
}
