package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.ApiKeys;
import dev.monotick.server.access.Role;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What Prometheus gets, and what the dashboard shows of it. */
@Tag("thorough")
class MetricsTest {

  private static final Pattern NAME =
      Pattern.compile("\\b((?:monotick|http_server|jvm|hikaricp|process)_[a-z0-9_]+)");

  @Test
  void everyMetricOfTheDashboardIsThere() throws IOException {
    try (Receiver receiver = new Receiver();
        Installation installation = Installation.create().with("monotick.metrics.interval", "1s")) {
      Api api = installation.start();
      String id =
          api.post(
                  "/v1/jobs",
                  Api.json("kind", "http", "payload", Api.json("url", receiver.url("/metric"))))
              .text("id");
      Eventually.until(
          "the job is done", () -> api.get("/v1/jobs/" + id).text("state").equals("SUCCEEDED"));
      Set<String> wanted = new TreeSet<>();
      Matcher names = NAME.matcher(Files.readString(Path.of("../docs/operate/grafana.json")));
      while (names.find()) {
        wanted.add(names.group(1));
      }
      assertThat(wanted).hasSizeGreaterThan(15);
      Eventually.until(
          () -> "missing: " + missing(api, wanted), () -> missing(api, wanted).isEmpty());
      // Measured every second, so what is shown may be older than the end of the job.
      List.of(
              "monotick_jobs_ready{queue=\"default\"} 0.0",
              "monotick_rate_limit_refused_total{limiter=\"key-read\"}",
              quotaUsed("retainedJobs", 1),
              quotaUsed("activeJobs", 0),
              quotaUsed("jobsPerHour", 0),
              quotaUsed("schedules", 0),
              quotaUsed("agents", 0))
          .forEach(
              line ->
                  Eventually.until(line, () -> api.get("/prometheus").raw().body().contains(line)));
    }
  }

  private static String quotaUsed(String quota, int used) {
    return "monotick_quota_used{quota=\"" + quota + "\",tenant=\"default\"} " + used + ".0";
  }

  private static Set<String> missing(Api api, Set<String> wanted) {
    String text = api.get("/prometheus").raw().body();
    Set<String> missing = new TreeSet<>(wanted);
    missing.removeIf(name -> text.contains("\n" + name + "{") || text.contains("\n" + name + " "));
    return missing;
  }

  @Test
  void metricsAreForThoseWhoMaySeeAllTenants() {
    try (Installation installation = Installation.started()) {
      ApiKeys keys = installation.bean(0, ApiKeys.class);
      Api api = installation.api();
      assertThat(api.as(null).get("/prometheus").status()).isEqualTo(401);
      assertThat(api.as(key(keys, Optional.of("default"), Role.ADMIN)).get("/prometheus").status())
          .isEqualTo(403);
      assertThat(api.as(key(keys, Optional.empty(), Role.AGENT)).get("/prometheus").status())
          .isEqualTo(403);
      assertThat(api.as(key(keys, Optional.empty(), Role.VIEWER)).get("/prometheus").status())
          .isEqualTo(200);
      installation.with("monotick.prometheus.open", "true").start();
      assertThat(installation.api(1).as(null).get("/prometheus").status()).isEqualTo(200);
    }
  }

  private static String key(ApiKeys keys, Optional<String> tenant, Role role) {
    return keys.make(tenant, role, "metrics", "test", null).secret();
  }
}
