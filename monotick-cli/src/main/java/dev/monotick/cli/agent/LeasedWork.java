package dev.monotick.cli.agent;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Work that this agent has: runs its command, and says how it goes. Used by one thread.
 *
 * <p>An agent that cannot reach the server for as long as its lease lasts stops the command: by
 * then the work may be another agent's.
 */
final class LeasedWork {

  private static final int LINES_AT_ONCE = 500;

  private final String lease;
  private final AgentClient client;
  private final long overdueAt;
  private final Duration timeout;
  private final List<String> unsent = new ArrayList<>();
  private @Nullable CommandProcess process;
  private @Nullable Map<String, Object> result;
  private long validUntil;

  /** What became of it in a step. */
  enum Step {
    /** It goes on. */
    GOES_ON,
    /** It is over, and the server knows. */
    OVER
  }

  LeasedWork(JsonNode leased, AgentOptions options, AgentClient client, long validUntil) {
    this.lease = leased.path("lease").asString("");
    this.client = client;
    this.validUntil = validUntil;
    this.timeout = Duration.parse(leased.path("timeout").asString("PT1H"));
    this.overdueAt = System.nanoTime() + timeout.toNanos();
    start(leased, options);
  }

  private void start(JsonNode leased, AgentOptions options) {
    JsonNode work = leased.path("work");
    String command = work.path("command").asString("");
    List<String> known = options.commands().get(command);
    if (known == null) {
      String what =
          work.has("command")
              ? "command \"" + command + "\""
              : "work of the type \"" + work.path("type").asString("") + "\"";
      fail("this agent does not know the " + what, true);
      return;
    }
    List<String> words = new ArrayList<>(known);
    work.path("args").forEach(each -> words.add(each.asString("")));
    Map<String, String> environment = new HashMap<>();
    work.path("env")
        .properties()
        .forEach(each -> environment.put(each.getKey(), each.getValue().asString("")));
    environment.put("MONOTICK_JOB", leased.path("jobId").asString(""));
    environment.put("MONOTICK_ATTEMPT", String.valueOf(leased.path("attempt").asInt(1)));
    environment.put("MONOTICK_FENCE", lease.substring(lease.indexOf(':') + 1));
    try {
      process = new CommandProcess(words, environment);
    } catch (IOException e) {
      fail("the command cannot be started: " + e.getMessage(), false);
    }
  }

  String lease() {
    return lease;
  }

  /** The server has renewed the lease, asked at that moment. */
  void renewed(long until) {
    validUntil = until;
  }

  /** Does what is to be done now. */
  Step step() throws InterruptedException {
    if (result == null && System.nanoTime() - validUntil >= 0) {
      abandon();
      return Step.OVER;
    }
    try {
      watch();
      send();
      if (result == null) {
        return Step.GOES_ON;
      }
      client.report("result", result);
      end();
      return Step.OVER;
    } catch (AgentClient.RefusedException e) {
      if (e.isLost() || e.isFinal()) {
        abandon();
        return Step.OVER;
      }
      return Step.GOES_ON;
    } catch (IOException e) {
      // The server is away. What ended is told when it is back, if it still wants to know.
      return Step.GOES_ON;
    }
  }

  private void watch() throws IOException {
    CommandProcess running = process;
    if (running == null || result != null) {
      return;
    }
    boolean over = !running.isAlive();
    unsent.addAll(running.lines());
    if (over) {
      int code = running.exitCode();
      Map<String, Object> end = said(code == 0 ? "SUCCEEDED" : "FAILED");
      end.put("exitCode", code);
      end.put("output", running.output());
      result = end;
    } else if (System.nanoTime() - overdueAt >= 0) {
      running.kill();
      fail("timed out after " + timeout, false);
    }
  }

  private void send() throws IOException, InterruptedException {
    while (!unsent.isEmpty()) {
      List<String> some = List.copyOf(unsent.subList(0, Math.min(LINES_AT_ONCE, unsent.size())));
      client.report("log", Map.of("lease", lease, "lines", some));
      unsent.subList(0, some.size()).clear();
    }
  }

  private Map<String, Object> said(String outcome) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("lease", lease);
    body.put("outcome", outcome);
    return body;
  }

  private void fail(String error, boolean permanent) {
    Map<String, Object> end = said("FAILED");
    end.put("error", error);
    end.put("permanent", permanent);
    result = end;
  }

  /** Stops the command; somebody else has the work, or nobody wants it. */
  void abandon() {
    CommandProcess running = process;
    if (running != null) {
      running.kill();
    }
    end();
  }

  /** Stops the command and gives the work back, so that another agent does it at once. */
  void returnToQueue() throws InterruptedException {
    abandon();
    try {
      client.report("result", result == null ? said("HANDED_BACK") : result);
    } catch (IOException e) {
      // its lease lapses
    }
  }

  private void end() {
    CommandProcess running = process;
    if (running != null) {
      running.forget();
    }
  }
}
