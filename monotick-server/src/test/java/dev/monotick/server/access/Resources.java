package dev.monotick.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/**
 * One thing of each kind, of one tenant, each with a text in it that nobody else may ever see. Add
 * a line here for each new kind of thing that has a path of its own.
 */
final class Resources {

  /** What is in the names and payloads of all of them. */
  static final String MARK = "acmes-own-secret";

  /** The name of those that are found by it: who asks for it says it himself. */
  static final String NAME = "acmes-own-name";

  private static final String FAR = "2100-01-01T00:00:00Z";

  private final Installation installation;
  private final String tenant;
  private final Map<String, String> examples = new LinkedHashMap<>();
  private final Map<String, String> missing = new LinkedHashMap<>();
  private final Map<String, String> keys = new ConcurrentHashMap<>();

  Resources(Installation installation, String tenant) {
    this.installation = installation;
    this.tenant = tenant;
  }

  /** Makes one of each kind that the server knows, and another tenant that has nothing. */
  void create(Set<String> paths) {
    Sql sql = installation.bean(0, Sql.class);
    for (String each : new String[] {tenant, "other"}) {
      sql.of("insert into @tenant (name) values (:name) on conflict do nothing")
          .param("name", each)
          .update();
    }
    Api admin = installation.api().with("Monotick-Tenant", tenant);
    add("jobs/{id}", job(admin), "999999999");
    add("tasks/{name}", "audit-verification", "no-such-task");
    add("leadership/{group}", "default", "no-such-group");
    add("replicas/{id}", replica(admin), UUID.randomUUID().toString());
    add("tenants/{name}", tenant, "no-such-tenant");
    add("queues/{name}", "no-queue", "no-other-queue");
    add("kinds/{name}", "http", "no-kind");
    Object agent = Api.json("name", NAME, "labels", Api.json("of", MARK));
    assertThat(admin.post("/v1/agents/register", agent).status()).isEqualTo(200);
    add("agents/{name}", NAME, "no-agent");
    made(admin.post("/v1/secrets", Api.json("name", NAME, "value", MARK)));
    add("secrets/{name}", NAME, "no-secret");
    if (paths.contains("/v1/keys")) {
      Object body = Api.json("name", MARK, "role", "VIEWER");
      add("keys/{id}", made(admin.post("/v1/keys", body)).at("/key/id").asString(), "nokey");
    }
    if (paths.contains("/v1/schedules")) {
      String id = made(admin.post("/v1/schedules", schedule())).path("id").asString();
      add("schedules/{id}", id, UUID.randomUUID().toString());
    }
  }

  private static Object schedule() {
    return Api.json(
        "name",
        MARK,
        "at",
        FAR,
        "job",
        Api.json("kind", "http", "payload", Api.json("url", "http://127.0.0.1:9/" + MARK)));
  }

  private static JsonNode made(Api.Answer answer) {
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    return answer.body();
  }

  private static String replica(Api admin) {
    JsonNode replicas = admin.get("/v1/replicas").body();
    return replicas.findValuesAsString("id").stream().findFirst().orElse("none");
  }

  private void add(String variable, String example, String notThere) {
    examples.put(variable, example);
    missing.put(variable, notThere);
  }

  private static String job(Api admin) {
    Api.Answer answer =
        admin.post(
            "/v1/jobs",
            Api.json(
                "kind",
                "http",
                "queue",
                MARK,
                "at",
                FAR, // so that it stays as it is
                "payload",
                Api.json("url", "http://127.0.0.1:9/" + MARK, "body", MARK)));
    return made(answer).path("id").asString();
  }

  /** Returns what is there, for a variable such as {@code jobs/{id}}. */
  String example(String variable) {
    String value = examples.get(variable);
    if (value == null) {
      throw new AssertionError(
          "an endpoint has the path variable "
              + variable
              + ", for which no example is made: add one to "
              + Resources.class.getSimpleName());
    }
    return value;
  }

  /** Returns what looks the same and is not there. */
  String missing(String variable) {
    example(variable);
    return missing.getOrDefault(variable, "");
  }

  /** Says whether what a path leads to is of no tenant, so that all may see it. */
  boolean isShared(String path) {
    return Set.of("tasks", "replicas", "leadership", "queues", "kinds").stream()
        .anyMatch(each -> path.startsWith("/v1/" + each + "/"));
  }

  /** Returns bodies that are right, so that nothing but the missing thing can be wrong. */
  Map<String, Object> bodies() {
    String lease = UUID.randomUUID() + ":1";
    return Map.ofEntries(
        Map.entry("POST /v1/jobs/{id}/reschedule", Api.json("at", FAR)),
        Map.entry("PUT /v1/schedules/{id}", schedule()),
        Map.entry(
            "POST /v1/schedules/{id}/backfill",
            Api.json("from", "2026-01-01T00:00:00Z", "to", "2026-01-02T00:00:00Z")),
        Map.entry("PUT /v1/secrets/{name}", Api.json("value", "x")),
        Map.entry("POST /v1/agents/{name}/progress", Api.json("lease", lease, "progress", 0.5)),
        Map.entry("POST /v1/agents/{name}/log", Api.json("lease", lease, "lines", List.of("x"))),
        Map.entry(
            "POST /v1/agents/{name}/result", Api.json("lease", lease, "outcome", "SUCCEEDED")));
  }

  /** Reads all of them as their own tenant. */
  Map<String, Api.Answer> all() {
    Map<String, Api.Answer> all = new LinkedHashMap<>();
    Api admin = installation.api().with("Monotick-Tenant", tenant);
    examples.forEach(
        (variable, id) -> {
          String path = "/v1/" + variable.substring(0, variable.indexOf('/') + 1) + id;
          Api.Answer answer = admin.get(path);
          if (answer.status() == 200) {
            all.put(path, answer);
          }
        });
    return all;
  }

  /** Returns a key of a tenant, or of none, with a role. */
  String key(Optional<String> of, Role role) {
    return keys.computeIfAbsent(
        of + "/" + role,
        name -> installation.bean(0, ApiKeys.class).make(of, role, name, "test", null).secret());
  }
}
