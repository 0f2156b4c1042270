package dev.monotick.server.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Schedules as resources. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ScheduleApiTest {

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.quota.schedules", "25")
          .with("monotick.schedules.backfill-limit", "50");
  private Api api = new Api(0, null);

  @BeforeAll
  void start() {
    api = installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Map<String, Object> nightly(String name) {
    return TestSchedules.cron(name, "30 2 * * *", receiver.url("/" + name));
  }

  private Api matching(String tag) {
    return api.with("If-Match", tag);
  }

  @Test
  void whatWasCreatedIsReadBack() {
    Api.Answer created =
        api.post(
            "/v1/schedules",
            TestSchedules.but(
                nightly("read-back"), "zone", "Europe/Berlin", "about", "every night"));

    assertThat(created.status()).isEqualTo(201);
    assertThat(created.header("Location")).isEqualTo("/v1/schedules/" + created.text("id"));
    assertThat(created.header("ETag")).isEqualTo("\"1\"");
    Api.Answer read = api.get("/v1/schedules/" + created.text("id"));
    assertThat(read.status()).isEqualTo(200);
    assertThat(read.body()).isEqualTo(created.body());
    assertThat(read.text("state")).isEqualTo("ACTIVE");
    assertThat(read.text("description")).contains("02:30").contains("Europe/Berlin");
    assertThat(read.body().path("nextTimes").size()).isEqualTo(5);
    assertThat(read.body().path("spec").path("job").path("kind").asString()).isEqualTo("http");
    assertThat(read.body().path("counts").path("fired").asInt()).isZero();
  }

  @Test
  void aKeyMakesOneSchedule() {
    Api once = api.with("Idempotency-Key", "create-once");

    Api.Answer first = once.post("/v1/schedules", nightly("once"));
    Api.Answer second = once.post("/v1/schedules", nightly("once"));

    assertThat(second.status()).isEqualTo(201);
    assertThat(second.text("id")).isEqualTo(first.text("id"));
    assertThat(once.post("/v1/schedules", nightly("other")).status()).isEqualTo(409);
  }

  @Test
  void aNameIsTakenOncePerTenant() {
    String id = TestSchedules.create(api, nightly("taken"));
    String other = TestSchedules.create(api, nightly("free"));

    Api.Answer again = api.post("/v1/schedules", nightly("taken"));
    Api.Answer renamed =
        matching("*").call("PATCH", "/v1/schedules/" + other, "{\"name\":\"taken\"}");

    assertThat(List.of(again.status(), renamed.status())).containsOnly(409);
    assertThat(List.of(again.text("field"), renamed.text("field"))).containsOnly("name");
    assertThat(api.get("/v1/schedules/" + id).status()).isEqualTo(200);
    assertThat(api.get("/v1/schedules/" + other).text("name")).isEqualTo("free");
  }

  @Test
  void changesNeedTheVersionTheyMean() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("versions"));

    assertThat(api.call("PUT", path, nightly("versions")).status()).isEqualTo(428);
    assertThat(api.call("PATCH", path, "{}").status()).isEqualTo(428);
    assertThat(api.call("DELETE", path, null).status()).isEqualTo(428);
    assertThat(matching("\"7\"").call("PUT", path, nightly("versions")).status()).isEqualTo(412);
    Api.Answer put =
        matching("\"1\"")
            .call("PUT", path, TestSchedules.but(nightly("versions"), "cron", "0 12 * * *"));
    assertThat(put.status()).isEqualTo(200);
    assertThat(put.header("ETag")).isEqualTo("\"2\"");
    assertThat(put.text("nextAt")).endsWith("T12:00:00Z");
    assertThat(matching("\"1\"").call("DELETE", path, null).status()).isEqualTo(412);
    assertThat(matching("\"2\"").call("DELETE", path, null).status()).isEqualTo(204);
    assertThat(api.get(path).status()).isEqualTo(404);
  }

  @Test
  void aPatchChangesWhatItNames() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("patched"));

    Api.Answer zoned =
        matching("*").call("PATCH", path, "{\"zone\":\"Asia/Tokyo\",\"about\":\"x\"}");
    Api.Answer plain = matching("*").call("PATCH", path, "{\"zone\":null,\"onOverlap\":\"ALLOW\"}");

    assertThat(zoned.text("nextAt")).endsWith("T17:30:00Z");
    assertThat(plain.text("nextAt")).endsWith("T02:30:00Z");
    assertThat(plain.body().path("spec").path("about").asString()).isEqualTo("x");
    assertThat(plain.body().path("spec").path("onOverlap").asString()).isEqualTo("ALLOW");
    assertThat(matching("*").call("PATCH", path, "[]").status()).isEqualTo(400);
    assertThat(matching("*").call("PATCH", path, "{\"crom\":1}").text("field")).isEqualTo("crom");
  }

  @Test
  void listsArePagedAndFiltered() {
    for (String name : List.of("list-b", "list-a", "list-c")) {
      TestSchedules.create(
          api, TestSchedules.but(nightly(name), "enabled", !name.equals("list-c")));
    }

    List<String> names = new ArrayList<>();
    String after = "";
    do {
      Api.Answer page = api.get("/v1/schedules?name=list-&limit=1" + after);
      page.body().path("items").forEach(item -> names.add(item.path("name").asString()));
      after = page.text("next").isEmpty() ? "" : "&after=" + page.text("next");
    } while (!after.isEmpty());

    assertThat(names).containsExactly("list-a", "list-b", "list-c");
    Api.Answer off = api.get("/v1/schedules?name=list-&enabled=false&paused=false");
    assertThat(off.body().path("items").size()).isEqualTo(1);
    assertThat(api.get("/v1/schedules?limit=0").text("field")).isEqualTo("limit");
    assertThat(api.get("/v1/schedules?enabled=maybe").text("field")).isEqualTo("enabled");
  }

  @Test
  void switchingOnAndOffIsIdempotent() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("switch"));

    assertThat(api.post(path + "/enable").header("ETag")).isEqualTo("\"1\"");
    Api.Answer off = api.post(path + "/disable");
    assertThat(off.text("state")).isEqualTo("DISABLED");
    assertThat(api.post(path + "/disable").header("ETag")).isEqualTo(off.header("ETag"));
    assertThat(api.post(path + "/enable").text("state")).isEqualTo("ACTIVE");
  }

  @Test
  void aPauseHasAnAuthorANoteAndMaybeAnEnd() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("pause"));

    Api.Answer paused =
        api.post(path + "/pause", Api.json("until", "2099-01-01T00:00:00Z", "note", "holidays"));

    assertThat(paused.text("state")).isEqualTo("PAUSED");
    assertThat(paused.body().path("pause").path("note").asString()).isEqualTo("holidays");
    assertThat(paused.body().path("pause").path("by").asString()).isNotEmpty();
    assertThat(paused.body().path("pause").path("until").asString())
        .isEqualTo("2099-01-01T00:00:00Z");
    assertThat(api.post(path + "/pause").body().path("pause").path("until").isNull()).isTrue();
    assertThat(api.post(path + "/pause", Api.json("until", "2001-01-01T00:00:00Z")).text("field"))
        .isEqualTo("until");
    assertThat(api.post(path + "/resume").text("state")).isEqualTo("ACTIVE");
    assertThat(api.post(path + "/resume").status()).isEqualTo(200);
  }

  @Test
  void aTriggerMakesOneJobForItsKey() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("trigger"));
    Api once = api.with("Idempotency-Key", "trigger-once");

    Api.Answer first = once.post(path + "/trigger");
    Api.Answer second = once.post(path + "/trigger");
    Api.Answer other = api.post(path + "/trigger");

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.text("job")).isEqualTo(first.text("job"));
    assertThat(other.text("job")).isNotEqualTo(first.text("job"));
    Api.Answer ticks = api.get(path + "/ticks");
    assertThat(ticks.body().path("items").size()).isEqualTo(2);
    assertThat(ticks.body().path("items").get(1).path("trigger").asString())
        .isEqualTo("key:trigger-once");
  }

  @Test
  void aBackfillMakesWhatIsMissingAndNoMore() {
    String path =
        "/v1/schedules/"
            + TestSchedules.create(
                api, TestSchedules.every("backfill", "PT1H", receiver.url("/backfill")));
    Map<String, Object> range =
        Api.json("from", "2026-01-01T00:00:00Z", "to", "2026-01-01T05:30:00Z");

    Api.Answer first = api.post(path + "/backfill", range);
    Api.Answer again = api.post(path + "/backfill", range);
    Api.Answer wider =
        api.post(
            path + "/backfill",
            Api.json("from", "2026-01-01T00:00:00Z", "to", "2026-01-01T07:30:00Z"));

    assertThat(first.body().path("created").asInt()).isEqualTo(6);
    assertThat(again.body().path("created").asInt()).isZero();
    assertThat(again.body().path("present").asInt()).isEqualTo(6);
    assertThat(wider.body().path("created").asInt()).isEqualTo(2);
    Api.Answer page = api.get(path + "/ticks?limit=3");
    assertThat(page.body().path("items").get(0).path("nominal").asString())
        .isEqualTo("2026-01-01T07:00:00Z");
    Api.Answer rest = api.get(path + "/ticks?limit=10&after=" + page.text("next"));
    assertThat(rest.body().path("items").size()).isEqualTo(5);
    Api.Answer tooMuch =
        api.post(
            path + "/backfill",
            Api.json("from", "2026-01-01T00:00:00Z", "to", "2026-02-01T00:00:00Z"));
    assertThat(tooMuch.status()).isEqualTo(400);
    assertThat(tooMuch.text("detail")).contains("744 times").contains("50");
    assertThat(api.post(path + "/backfill", Api.json("from", "2099-01-01T00:00:00Z")).text("field"))
        .isEqualTo("from");
  }

  @Test
  void aPreviewTellsOfClocksThatChange() {
    Api.Answer march =
        api.post(
            "/v1/schedules/preview",
            Api.json(
                "cron", "30 2 * * *",
                "zone", "Europe/Berlin",
                "after", "2027-03-26T12:00:00Z",
                "n", 3));
    Api.Answer october =
        api.post(
            "/v1/schedules/preview",
            Api.json(
                "cron", "30 2 * * *",
                "zone", "Europe/Berlin",
                "overlap", "BOTH",
                "after", "2027-10-30T12:00:00Z",
                "n", 3));

    assertThat(march.status()).isEqualTo(200);
    assertThat(march.text("description")).contains("moved to 03:00");
    assertThat(march.body().path("times").get(0).path("local").asString())
        .isEqualTo("2027-03-27T02:30");
    assertThat(march.body().path("times").get(1).path("at").asString())
        .isEqualTo("2027-03-28T01:00:00Z");
    assertThat(march.body().path("times").get(1).path("offset").asString()).isEqualTo("+02:00");
    assertThat(march.body().path("times").get(1).path("remark").asString())
        .contains("clocks go forward");
    assertThat(october.body().path("times").get(0).path("remark").asString()).contains("first");
    assertThat(october.body().path("times").get(1).path("remark").asString()).contains("second");
    assertThat(october.body().path("times").get(1).path("at").asString())
        .isEqualTo("2027-10-31T01:30:00Z");
  }

  @Test
  void aSavedScheduleIsPreviewedToo() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                nightly("preview"), "cron", "0 0 29 2 *", "exclusions", List.of("2028-02-29")));

    Api.Answer leap = api.get("/v1/schedules/" + id + "/preview?n=2");

    assertThat(leap.body().path("times").get(0).path("at").asString())
        .isEqualTo("2032-02-29T00:00:00Z");
    assertThat(api.get("/v1/schedules/" + id + "/preview?n=0").text("field")).isEqualTo("n");
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    Map<String, Object> good = nightly("bad");
    Map<String, Map<String, Object>> bad =
        Map.ofEntries(
            Map.entry("cron", TestSchedules.but(good, "cron", "61 * * * *")),
            Map.entry("zone", TestSchedules.but(good, "zone", "Europe/Berlyn")),
            Map.entry("name", TestSchedules.but(good, "name", "no spaces")),
            Map.entry("gap", TestSchedules.but(good, "gap", "JUMP")),
            Map.entry("onOverlap", TestSchedules.but(good, "onOverlap", "PERHAPS")),
            Map.entry("from", TestSchedules.but(good, "from", "yesterday")),
            Map.entry("until", TestSchedules.but(good, "until", "2001-01-01T00:00:00Z")),
            Map.entry("exclusions", TestSchedules.but(good, "exclusions", List.of("someday"))),
            Map.entry("pauseAfterFailures", TestSchedules.but(good, "pauseAfterFailures", 0)),
            Map.entry(
                "catchUp.most",
                TestSchedules.but(good, "catchUp", Api.json("mode", "ALL", "most", 100_000))),
            Map.entry(
                "catchUp.window",
                TestSchedules.but(good, "catchUp", Api.json("window", "a while"))),
            Map.entry("job", TestSchedules.without(good, "job")),
            Map.entry(
                "kind", TestSchedules.but(good, "job", Api.json("kind", "magic", "payload", 1))),
            Map.entry(
                "payload.url",
                TestSchedules.but(good, "job", Api.json("kind", "http", "payload", Api.json()))),
            Map.entry("crom", TestSchedules.but(good, "crom", "* * * * *")),
            Map.entry("every", TestSchedules.every("bad", "PT0.1S", receiver.url("/bad"))),
            Map.entry(
                "at",
                TestSchedules.but(
                    TestSchedules.without(good, "cron"), "at", "2001-01-01T00:00:00Z")));

    bad.forEach(
        (field, spec) -> {
          Api.Answer answer = api.post("/v1/schedules", spec);
          assertThat(answer.status()).as(field).isEqualTo(400);
          assertThat(answer.text("field")).as(answer.raw().body()).isEqualTo(field);
        });
    assertThat(api.post("/v1/schedules", TestSchedules.but(good, "every", "PT1S")).text("field"))
        .isEqualTo("cron");
    assertThat(
            api.post("/v1/schedules", TestSchedules.but(good, "zone", "Europe/Berlyn"))
                .text("detail"))
        .contains("Europe/Berlin");
    assertThat(api.post("/v1/schedules", "{").status()).isEqualTo(400);
    assertThat(api.post("/v1/schedules", "[]").status()).isEqualTo(400);
    assertThat(api.get("/v1/schedules/none").status()).isEqualTo(404);
    assertThat(api.get("/v1/schedules?name=bad").body().path("items").size()).isZero();
  }

  @Test
  void anotherTenantSeesNothing() {
    String path = "/v1/schedules/" + TestSchedules.create(api, nightly("mine"));
    installation
        .bean(0, dev.monotick.server.database.Sql.class)
        .of("insert into @tenant (name) values ('other')")
        .update();
    Api other = api.with("Monotick-Tenant", "other").with("If-Match", "*");

    assertThat(
            List.of(
                other.get(path).status(),
                other.get(path + "/ticks").status(),
                other.get(path + "/preview").status(),
                other.call("PUT", path, nightly("mine")).status(),
                other.call("PATCH", path, "{}").status(),
                other.call("DELETE", path, null).status(),
                other.post(path + "/enable").status(),
                other.post(path + "/disable").status(),
                other.post(path + "/pause").status(),
                other.post(path + "/resume").status(),
                other.post(path + "/trigger").status(),
                other.post(path + "/backfill", Api.json("from", "2026-01-01T00:00:00Z")).status()))
        .containsOnly(404);
    assertThat(other.get("/v1/schedules").body().path("items").size()).isZero();
    assertThat(other.post("/v1/schedules", nightly("mine")).status()).isEqualTo(201);
  }

  @Test
  void aTenantHasSoManySchedulesAndNoMore() {
    installation
        .bean(0, dev.monotick.server.database.Sql.class)
        .of("insert into @tenant (name, schedules) values ('small', 2)")
        .update();
    Api small = api.with("Monotick-Tenant", "small");

    TestSchedules.create(small, nightly("one"));
    TestSchedules.create(small, nightly("two"));
    Api.Answer third = small.post("/v1/schedules", nightly("three"));

    assertThat(third.status()).isEqualTo(429);
    assertThat(third.text("quota")).isEqualTo("schedules");
    assertThat(third.header("Retry-After")).isNotEmpty();
  }
}
