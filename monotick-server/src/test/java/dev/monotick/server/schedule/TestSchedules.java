package dev.monotick.server.schedule;

import dev.monotick.server.support.Api;
import java.util.LinkedHashMap;
import java.util.Map;

/** Schedules that tests ask for. */
public final class TestSchedules {

  private TestSchedules() {}

  /** One that calls a URL by cron. */
  public static Map<String, Object> cron(String name, String cron, String url) {
    return with(name, url, "cron", cron);
  }

  /** One that calls a URL every so often. */
  public static Map<String, Object> every(String name, String every, String url) {
    return with(name, url, "every", every);
  }

  private static Map<String, Object> with(String name, String url, String how, String value) {
    return Api.json(
        "name", name, how, value, "job", Api.json("kind", "http", "payload", Api.json("url", url)));
  }

  /** The same with something else in it. */
  public static Map<String, Object> but(Map<String, Object> spec, Object... namesAndValues) {
    Map<String, Object> changed = new LinkedHashMap<>(spec);
    changed.putAll(Api.json(namesAndValues));
    return changed;
  }

  /** The same without something. */
  public static Map<String, Object> without(Map<String, Object> spec, String field) {
    Map<String, Object> changed = new LinkedHashMap<>(spec);
    changed.remove(field);
    return changed;
  }

  /** Creates one and returns its id. */
  public static String create(Api api, Map<String, Object> spec) {
    Api.Answer answer = api.post("/v1/schedules", spec);
    if (answer.status() != 201) {
      throw new AssertionError(answer.status() + " " + answer.raw().body());
    }
    return answer.text("id");
  }
}
