package dev.monotick.bench.server;

import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests at a steady rate on one replica: of ten, four read a job, two list jobs, two list
 * schedules and two create a job that is due in an hour; each connection is of one of ten tenants.
 * A request has its time, and its latency is counted from then on, whether or not the connection
 * was free: a server that stalls is not spared.
 *
 * <p>Arguments: requests per second, seconds, connections, and 1 to print which statements took the
 * database's time (counting them costs some of it).
 */
public final class ServerBenchmark {

  private static final int WARM_UP_SECONDS = 60;
  private static final int JOBS_BEFORE = 500;
  private static final int SCHEDULES = 50;
  private static final int TENANTS = 10;
  private static final Pattern ID = Pattern.compile("\"id\":\"([0-9]+)\"");

  private static final String STATEMENTS =
      """
      select string_agg(line, E'\\n') from (
        select format('%s calls, %s ms each, planned %s times, %s ms each: %s', calls,
                      round(mean_exec_time::numeric, 3), plans, round(mean_plan_time::numeric, 3),
                      left(regexp_replace(query, '\\s+', ' ', 'g'), 150)) as line
          from pg_stat_statements order by total_exec_time + total_plan_time desc limit 40) s
      """;

  private ServerBenchmark() {}

  private record Sample(int status, long micros) {}

  /** Runs the benchmark; prints a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    int rate = args.length > 0 ? Integer.parseInt(args[0]) : 2000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 60;
    int connections = args.length > 2 ? Integer.parseInt(args[2]) : 32;
    boolean profile = args.length > 3 && args[3].equals("1");
    Map<String, String> settings = new HashMap<>();
    settings.put("shared_buffers", "512MB");
    settings.put("max_wal_size", "1GB");
    settings.put("max_connections", "300");
    if (profile) {
      settings.put("shared_preload_libraries", "pg_stat_statements");
      settings.put("pg_stat_statements.track_planning", "on");
    }
    try (BenchServer database = BenchServer.start(settings);
        ServerProcess server = ServerProcess.start(database, List.of("-Xmx512m"))) {
      database.describe();
      BenchmarkProgress.report("ready after " + server.startTime().toMillis() + " ms");
      List<List<String>> jobs = prepare(server.port());
      run(server.port(), jobs, rate, WARM_UP_SECONDS, connections);
      if (profile) {
        database.execute("create extension pg_stat_statements");
      }
      Duration cpu = server.cpu();
      Duration databaseCpu = database.serverCpu();
      List<Sample> samples = run(server.port(), jobs, rate, seconds, connections);
      report(samples, seconds, server.cpu().minus(cpu), database.serverCpu().minus(databaseCpu));
      System.out.printf(
          Locale.ROOT,
          "start-ms %d%nresident-mb %d%n",
          server.startTime().toMillis(),
          server.residentMegabytes());
      if (profile) {
        System.out.println(database.ask(STATEMENTS));
      }
    }
  }

  /** Creates tenants with jobs and schedules; returns the numbers of the jobs, of each tenant. */
  private static List<List<String>> prepare(int port) throws IOException {
    List<List<String>> jobs = new ArrayList<>();
    try (HttpConnection wire = new HttpConnection(port)) {
      for (int tenant = 0; tenant < TENANTS; tenant++) {
        must(
            wire.call(
                "POST",
                "/v1/tenants",
                ServerProcess.KEY,
                "{\"name\":\"bench"
                    + tenant
                    + "\",\"quotas\":{\"activeJobs\":\"unlimited\",\"retainedJobs\":\"unlimited\",\"schedules\":\"unlimited\"}}"));
        List<String> own = new ArrayList<>();
        for (int i = 0; i < JOBS_BEFORE / TENANTS; i++) {
          Matcher id = ID.matcher(must(create(wire, tenant)).body());
          if (id.find()) {
            own.add(id.group(1));
          }
        }
        jobs.add(own);
        for (int i = 0; i < SCHEDULES; i++) {
          must(
              wire.call(
                  "POST",
                  "/v1/schedules",
                  key(tenant),
                  "{\"name\":\"s"
                      + i
                      + "\",\"cron\":\"0 4 * * *\",\"job\":{\"kind\":\"http\",\"payload\":{\"url\":\"http://example.org/\"}}}"));
        }
      }
    }
    return jobs;
  }

  private static String key(int tenant) {
    return ServerProcess.KEY + "\r\nMonotick-Tenant: bench" + tenant;
  }

  private static HttpConnection.Answer must(HttpConnection.Answer answer) throws IOException {
    if (answer.status() >= 300) {
      throw new IOException("answered " + answer.status() + ": " + answer.body());
    }
    return answer;
  }

  private static HttpConnection.Answer create(HttpConnection wire, int tenant) throws IOException {
    return wire.call(
        "POST",
        "/v1/jobs",
        key(tenant),
        "{\"kind\":\"http\",\"delay\":\"PT1H\",\"payload\":{\"url\":\"http://example.org/\"}}");
  }

  private static List<Sample> run(
      int port, List<List<String>> jobs, int rate, int seconds, int connections) throws Exception {
    BenchmarkProgress.report(
        rate + " requests a second for " + seconds + " s on " + connections + " connections");
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      long begin = System.nanoTime() + 100_000_000L;
      int each = rate * seconds / connections;
      long step = 1_000_000_000L * connections / rate;
      List<Callable<List<Sample>>> callers = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        long first = begin + step * i / connections;
        int number = i;
        callers.add(() -> caller(port, jobs, first, step, each, number));
      }
      List<Sample> samples = new ArrayList<>();
      for (Future<List<Sample>> caller : threads.invokeAll(callers)) {
        samples.addAll(caller.get());
      }
      return samples;
    } finally {
      threads.shutdown();
    }
  }

  private static List<Sample> caller(
      int port, List<List<String>> jobs, long first, long step, int count, int number)
      throws IOException {
    List<Sample> samples = new ArrayList<>(count);
    HttpConnection wire = new HttpConnection(port);
    try {
      for (int i = 0; i < count; i++) {
        long due = first + i * step;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        int status;
        try {
          status =
              request(wire, jobs.get(number % TENANTS), number % TENANTS, number * 7 + i).status();
        } catch (IOException e) {
          status = 0; // no answer
          wire.close();
          wire = new HttpConnection(port);
        }
        samples.add(new Sample(status, (System.nanoTime() - due) / 1000));
      }
      return samples;
    } finally {
      wire.close();
    }
  }

  private static HttpConnection.Answer request(
      HttpConnection wire, List<String> jobs, int tenant, int number) throws IOException {
    return switch (Math.floorMod(number, 10)) {
      case 0, 1, 2, 3 ->
          wire.call(
              "GET",
              "/v1/jobs/" + jobs.get(Math.floorMod(number * 31, jobs.size())),
              key(tenant),
              "");
      case 4, 5 -> wire.call("GET", "/v1/jobs?limit=20", key(tenant), "");
      case 6, 7 -> wire.call("GET", "/v1/schedules?limit=20", key(tenant), "");
      default -> create(wire, tenant);
    };
  }

  private static void report(
      List<Sample> samples, int seconds, Duration cpu, Duration databaseCpu) {
    Map<Integer, Long> statuses = new TreeMap<>();
    samples.forEach(each -> statuses.merge(each.status(), 1L, Long::sum));
    long[] micros = samples.stream().mapToLong(Sample::micros).sorted().toArray();
    long errors =
        statuses.entrySet().stream()
            .filter(each -> each.getKey() < 200 || each.getKey() >= 300)
            .mapToLong(Map.Entry::getValue)
            .sum();
    System.out.println();
    System.out.println(
        "| requests | answers by status | errors | p50 | p95 | p99 | longest | cpu s/s: server + database |");
    System.out.println("|---|---|---|---|---|---|---|---|");
    System.out.printf(
        Locale.ROOT,
        "| %d | %s | %d | %.1f ms | %.1f ms | %.1f ms | %.0f ms | %.2f + %.2f |%n%n",
        micros.length,
        statuses,
        errors,
        at(micros, 0.50),
        at(micros, 0.95),
        at(micros, 0.99),
        at(micros, 1),
        cpu.toMillis() / 1000.0 / seconds,
        databaseCpu.toMillis() / 1000.0 / seconds);
    System.out.printf(
        Locale.ROOT,
        "errors %d%np95-ms %.1f%np99-ms %.1f%n",
        errors,
        at(micros, 0.95),
        at(micros, 0.99));
  }

  private static double at(long[] sorted, double share) {
    int place = (int) Math.ceil(share * sorted.length) - 1;
    return sorted[Math.max(0, place)] / 1000.0;
  }
}
