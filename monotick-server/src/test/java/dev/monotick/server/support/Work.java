package dev.monotick.server.support;

import java.util.Map;

/** Requests that tests make often. */
public final class Work {

  private Work() {}

  /** A job that calls a URL, and what else is said of it. */
  public static Map<String, Object> http(String url, Object... more) {
    Map<String, Object> job = Api.json(more);
    job.put("kind", "http");
    job.put("payload", Api.json("url", url));
    return job;
  }

  /** A job that stays active: it waits for an hour. */
  public static Map<String, Object> later(Object... more) {
    Map<String, Object> job = http("http://127.0.0.1:9/later", more);
    job.put("delay", "PT1H");
    return job;
  }

  /** Creates a tenant and returns its admin, who calls the same replica. */
  public static Api tenant(Api admin, String name, Object... quotas) {
    expect(201, admin.post("/v1/tenants", Api.json("name", name, "quotas", Api.json(quotas))));
    return key(admin.with("Monotick-Tenant", name), "ADMIN");
  }

  /** Makes a key of a role and returns who has it. */
  public static Api key(Api admin, String role) {
    Api.Answer made = admin.post("/v1/keys", Api.json("name", role + " of tests", "role", role));
    expect(201, made);
    return admin.without("Monotick-Tenant").as(made.text("secret"));
  }

  /** Creates a job and returns its id. */
  public static String create(Api api, Map<String, Object> job) {
    Api.Answer made = api.post("/v1/jobs", job);
    expect(201, made);
    return made.text("id");
  }

  /** Waits until a job is in a state. */
  public static void await(Api api, String id, String state) {
    Eventually.until(
        () -> "job " + id + " becomes " + state + ": " + api.get("/v1/jobs/" + id).body(),
        () -> api.get("/v1/jobs/" + id).text("state").equals(state));
  }

  /** Fails unless an answer has that status. */
  public static Api.Answer expect(int status, Api.Answer answer) {
    if (answer.status() != status) {
      throw new AssertionError(
          answer.raw().request().method()
              + " "
              + answer.raw().uri()
              + ": expected "
              + status
              + ", but was "
              + answer.status()
              + " "
              + answer.raw().body());
    }
    return answer;
  }
}
