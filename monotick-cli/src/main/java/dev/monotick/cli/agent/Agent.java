package dev.monotick.cli.agent;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An agent: registers, asks for work, runs it, and says how it goes, all on the thread of its
 * caller. While the server is away it tries again, ever more rarely and not in step with others.
 */
final class Agent {

  private static final Duration STEP = Duration.ofMillis(100);

  /** An agent that stops waits for its last question to be answered, so it is no longer. */
  private static final Duration WAIT = Duration.ofSeconds(5);

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(500);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);

  private final AgentOptions options;
  private final AgentClient client;
  private final StopSignal stop;
  private final Consumer<String> say;
  private final List<LeasedWork> running = new ArrayList<>();
  private @Nullable CompletableFuture<HttpResponse<String>> poll;
  private long lease = Duration.ofSeconds(30).toNanos();
  private long heartbeat = Duration.ofSeconds(10).toNanos();
  private long heartbeatAt;
  private long pollAt;
  private int failures;

  Agent(AgentOptions options, StopSignal stop, Consumer<String> say) {
    this.options = options;
    this.client = new AgentClient(options);
    this.stop = stop;
    this.say = say;
  }

  /**
   * Works until it is asked to stop.
   *
   * @throws AgentClient.RefusedException if the server does not let it in
   */
  void run() throws IOException, InterruptedException {
    try {
      register();
      while (!stop.isRequested()) {
        step();
        stop.awaitRequest(STEP);
      }
      finish();
    } finally {
      running.forEach(LeasedWork::abandon);
      stop.stopped();
    }
  }

  private void register() throws IOException, InterruptedException {
    while (!stop.isRequested()) {
      try {
        JsonNode answer =
            client.register(
                Map.of(
                    "name", options.name(),
                    "labels", options.labels(),
                    "version", "monotick",
                    "capabilities", List.copyOf(options.commands().keySet())));
        lease = Duration.parse(answer.path("lease").asString("PT30S")).toNanos();
        heartbeat = Duration.parse(answer.path("heartbeat").asString("PT10S")).toNanos();
        failures = 0;
        heartbeatAt = System.nanoTime() + heartbeat;
        pollAt = System.nanoTime();
        say.accept("registered as " + options);
        return;
      } catch (AgentClient.RefusedException e) {
        if (e.isFinal()) {
          throw e;
        }
        stop.awaitRequest(backoff(e));
      } catch (IOException e) {
        stop.awaitRequest(backoff(e));
      }
    }
  }

  /** Doubles, and is random: agents that lost one server do not come back at one moment. */
  private Duration backoff(Exception e) {
    long most =
        Math.min(LONGEST_BACKOFF.toMillis(), FIRST_BACKOFF.toMillis() << Math.min(failures, 10));
    failures++;
    Duration wait = Duration.ofMillis(most / 2 + ThreadLocalRandom.current().nextLong(most / 2));
    say.accept("server " + options.server() + ": " + e + "; trying again in " + wait);
    return wait;
  }

  private void step() throws IOException, InterruptedException {
    takeWork();
    askForWork();
    workOn();
    if (System.nanoTime() - heartbeatAt >= 0) {
      heartbeatOnce();
    }
  }

  private void askForWork() {
    int free = options.most() - running.size();
    if (poll == null && free > 0 && System.nanoTime() - pollAt >= 0) {
      poll = client.poll(free, WAIT);
    }
  }

  private void takeWork() throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<String>> asked = poll;
    if (asked == null || !asked.isDone()) {
      return;
    }
    poll = null;
    try {
      JsonNode answer = client.read(asked.get());
      failures = 0;
      for (JsonNode each : answer.path("leases")) {
        say.accept("job " + each.path("jobId").asString("") + " begins");
        running.add(new LeasedWork(each, options, client, System.nanoTime() + lease));
        heartbeatAt = System.nanoTime(); // if the answer lay about for long, this tells
      }
    } catch (AgentClient.RefusedException e) {
      if (e.isFinal()) {
        throw e;
      }
      if (e.isUnknown()) {
        register();
      } else {
        pollAt = System.nanoTime() + backoff(e).toNanos();
      }
    } catch (IOException | ExecutionException e) {
      pollAt = System.nanoTime() + backoff(e).toNanos();
    }
  }

  private void workOn() throws InterruptedException {
    for (Iterator<LeasedWork> each = running.iterator(); each.hasNext(); ) {
      if (each.next().step() == LeasedWork.Step.OVER) {
        each.remove();
      }
    }
  }

  private void heartbeatOnce() throws IOException, InterruptedException {
    long sent = System.nanoTime();
    heartbeatAt = sent + heartbeat;
    try {
      JsonNode answer =
          client.report(
              "heartbeat", Map.of("leases", running.stream().map(LeasedWork::lease).toList()));
      for (Iterator<LeasedWork> each = running.iterator(); each.hasNext(); ) {
        LeasedWork work = each.next();
        if (answer.path("renewed").has(work.lease())) {
          work.renewed(sent + lease);
        } else {
          say.accept("lease " + work.lease() + " is called off or lost");
          work.abandon();
          each.remove();
        }
      }
    } catch (AgentClient.RefusedException e) {
      if (e.isFinal()) {
        throw e;
      }
      if (e.isUnknown()) {
        register();
      }
    } catch (IOException e) {
      heartbeatAt = sent + heartbeat / 4; // before the lease is over
    }
  }

  /** Takes no more work; lets running commands end for a while, and hands the rest back. */
  private void finish() throws InterruptedException {
    say.accept("stopping with " + running.size() + " at work");
    long end = System.nanoTime() + options.grace().toNanos();
    while (!running.isEmpty() && System.nanoTime() - end < 0) {
      refuseWork();
      workOn();
      pause();
    }
    for (LeasedWork each : running) {
      each.returnToQueue();
    }
    running.clear();
    // The server still waits for work on our behalf, and may give us what we just handed back.
    while (poll != null) {
      refuseWork();
      pause();
    }
  }

  private void refuseWork() throws InterruptedException {
    CompletableFuture<HttpResponse<String>> asked = poll;
    if (asked == null || !asked.isDone()) {
      return;
    }
    poll = null;
    try {
      for (JsonNode each : client.read(asked.get()).path("leases")) {
        String lease = each.path("lease").asString("");
        client.report("result", Map.of("lease", lease, "outcome", "HANDED_BACK"));
      }
    } catch (IOException | ExecutionException e) {
      say.accept("could not hand back what came last: " + e);
    }
  }

  /** Heartbeats are not due so soon; a lease lasts longer than a grace should. */
  private void pause() throws InterruptedException {
    if (System.nanoTime() - heartbeatAt >= 0) {
      try {
        heartbeatOnce();
      } catch (IOException e) {
        // what is lost is told by its own report
      }
    }
    java.util.concurrent.locks.LockSupport.parkNanos(STEP.toNanos());
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
