package dev.monotick.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class EventListenersTest {

  @Test
  void listenerMoreThanTenThousandEventsBehindLosesTheNewerOnesOnly() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    Executor later = waiting::add;
    EngineThreads threads =
        (EngineThreads)
            Proxy.newProxyInstance(
                EngineThreads.class.getClassLoader(),
                new Class<?>[] {EngineThreads.class},
                (proxy, method, args) -> later);
    EventListeners listeners = new EventListeners(threads);
    List<MonotickEvent> got = new ArrayList<>();
    listeners.add((EventListener) got::add);
    for (int i = 0; i < 10_500; i++) {
      listeners.publish(new MonotickEvent.TaskResumed("t" + i));
    }
    waiting.forEach(Runnable::run);
    assertThat(got).hasSize(10_000);
    assertThat(got.get(9_999)).isEqualTo(new MonotickEvent.TaskResumed("t9999"));
    waiting.clear();
    listeners.publish(new MonotickEvent.TaskResumed("after"));
    waiting.forEach(Runnable::run);
    assertThat(got).hasSize(10_001).endsWith(new MonotickEvent.TaskResumed("after"));
  }
}
