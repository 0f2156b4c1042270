package dev.monotick.server.agent;

import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Agents that wait at this replica for work. They hold no thread; one thread looks for work for all
 * of them, by one statement, and at once when this replica offers some.
 */
@Component
class AgentPolls implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(AgentPolls.class);

  private final AgentQueue queue;
  private final TimeSource time;
  private final Duration interval;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();
  private @Nullable ScheduledFuture<?> polls;
  private volatile boolean running;

  /**
   * What an agent that asked for work gets.
   *
   * @param leases the work; none if none came up
   */
  record Polled(List<AgentQueue.Leased> leases) {}

  private record Waiting(AgentName agent, int most, long end, DeferredResult<Polled> answer) {}

  AgentPolls(AgentQueue queue, TimeSource time, ServerSettings settings) {
    this.queue = queue;
    this.time = time;
    this.interval = settings.get(ExecutionSettings.AGENT_POLL_INTERVAL);
    thread.setThreadNamePrefix("agent-polls-");
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.initialize();
    polls = thread.scheduleWithFixedDelay(this::check, interval);
    queue.whenOffered(this::hurry);
    running = true;
  }

  /** Before the web server stops taking requests, so that nobody waits for those that wait here. */
  @Override
  public void stop() {
    running = false;
    ScheduledFuture<?> begun = polls;
    if (begun != null) {
      begun.cancel(false);
    }
    thread.shutdown();
    for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
      each.answer().setResult(new Polled(List.of()));
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }

  /** Answers with work as soon as there is some, and with none when the time is over. */
  DeferredResult<Polled> poll(AgentName agent, int most, Duration longest) {
    DeferredResult<Polled> answer = new DeferredResult<>(longest.plusSeconds(10).toMillis());
    List<AgentQueue.Leased> now = queue.lease(agent.tenant(), agent.name(), most);
    if (!now.isEmpty() || longest.isZero() || !running) {
      answer.setResult(new Polled(now));
      return answer;
    }
    waiting.add(new Waiting(agent, most, time.nanos() + longest.toNanos(), answer));
    return answer;
  }

  private void hurry() {
    if (running && !waiting.isEmpty()) {
      try {
        thread.execute(this::check);
      } catch (TaskRejectedException e) {
        log.debug("stopping; waiting requests are released");
      }
    }
  }

  private void check() {
    waiting.removeIf(this::isOver);
    if (waiting.isEmpty()) {
      return;
    }
    try {
      Set<AgentName> wanted =
          new HashSet<>(queue.wanted(waiting.stream().map(Waiting::agent).distinct().toList()));
      for (Waiting each : List.copyOf(waiting)) {
        if (wanted.contains(each.agent())) {
          give(each);
        }
      }
    } catch (RuntimeException e) {
      log.warn("looking for work for agents failed, and is tried again: {}", e.toString());
    }
  }

  private boolean isOver(Waiting each) {
    if (each.answer().isSetOrExpired()) {
      return true;
    }
    if (time.nanos() - each.end() < 0) {
      return false;
    }
    each.answer().setResult(new Polled(List.of()));
    return true;
  }

  private void give(Waiting each) {
    List<AgentQueue.Leased> leased =
        queue.lease(each.agent().tenant(), each.agent().name(), each.most());
    if (leased.isEmpty()) {
      return; // somebody was faster
    }
    waiting.remove(each);
    if (!each.answer().setResult(new Polled(leased))) {
      queue.returnToQueue(
          each.agent(),
          leased.stream().map(one -> AgentLease.parse("lease", one.lease())).toList());
    }
  }
}
