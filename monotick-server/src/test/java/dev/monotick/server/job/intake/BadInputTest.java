package dev.monotick.server.job.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What cannot be is refused by name, and leaves nothing behind. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class BadInputTest {

  private final Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private record Bad(String path, String body, String field) {}

  private static Bad job(String more, String field) {
    return new Bad(
        "/v1/jobs",
        "{\"kind\":\"http\",\"payload\":{\"url\":\"http://127.0.0.1:9/\"}," + more + "}",
        field);
  }

  private static Bad batch(String body, String field) {
    return new Bad("/v1/jobs/batch", body, field);
  }

  private static List<Bad> all() {
    String good = "{\"kind\":\"http\",\"payload\":{\"url\":\"http://127.0.0.1:9/\"}}";
    return List.of(
        new Bad("/v1/jobs", "{", ""),
        new Bad("/v1/jobs", "", ""),
        new Bad("/v1/jobs", "null", ""),
        new Bad("/v1/jobs", "[]", ""),
        new Bad("/v1/jobs", "7", ""),
        new Bad("/v1/jobs", "{}", "kind"),
        new Bad("/v1/jobs", "{\"kind\":\"http\"}", "payload"),
        new Bad("/v1/jobs", "{\"kind\":\"nothing\",\"payload\":{}}", "kind"),
        new Bad("/v1/jobs", "{\"kind\":[],\"payload\":{}}", "kind"),
        new Bad("/v1/jobs", "{\"kind\":\"http\",\"payload\":7}", "payload"),
        new Bad(
            "/v1/jobs",
            "{\"kind\":\"http\",\"payload\":{\"url\":\"http://a/\",\"x\":1}}",
            "payload.x"),
        new Bad(
            "/v1/jobs", "{\"kind\":\"http\",\"payload\":{\"url\":\"ftp://x/\"}}", "payload.url"),
        job("\"colour\":1", "colour"),
        job("\"priority\":99", "priority"),
        job("\"priority\":-1", "priority"),
        job("\"priority\":\"high\"", "priority"),
        job("\"priority\":1.5", "priority"),
        job("\"maxAttempts\":0", "maxAttempts"),
        job("\"maxAttempts\":-3", "maxAttempts"),
        job("\"maxAttempts\":99999", "maxAttempts"),
        job("\"maxAttempts\":99999999999999999999", "maxAttempts"),
        job("\"timeout\":\"soon\"", "timeout"),
        job("\"timeout\":\"PT0S\"", "timeout"),
        job("\"timeout\":\"P99999D\"", "timeout"),
        job("\"delay\":\"-PT5S\"", "delay"),
        job("\"delay\":\"PT999999999999H\"", "delay"),
        job("\"delay\":5.5", "delay"),
        job("\"delay\":\"PT1S\",\"at\":\"2030-01-01T00:00:00Z\"", "at"),
        job("\"at\":\"tomorrow\"", "at"),
        job("\"at\":\"+999999999-12-31T23:59:59Z\"", "at"),
        job("\"deadline\":\"2030-13-01T00:00:00Z\"", "deadline"),
        job("\"uniqueKey\":\"" + "k".repeat(501) + "\"", "uniqueKey"),
        job("\"uniqueKey\":\"\"", "uniqueKey"),
        job("\"uniqueKey\":\"a\\u0000b\"", "uniqueKey"),
        job("\"headers\":{\"x-nul\":\"\\u0000\"}", "headers.x-nul"),
        job("\"uniqueWindow\":\"PT1H\"", "uniqueKey"),
        job("\"uniqueKey\":\"k\",\"uniqueWindow\":\"-PT1H\"", "uniqueWindow"),
        job("\"limitKey\":\"" + "k".repeat(201) + "\"", "limitKey"),
        job("\"queue\":\"no spaces\"", "queue"),
        job("\"queue\":\"" + "q".repeat(101) + "\"", "queue"),
        job("\"queue\":\"\"", "queue"),
        job("\"approval\":{}", "approval.within"),
        job("\"approval\":{\"within\":\"-PT1S\"}", "approval.within"),
        job("\"approval\":{\"within\":\"PT1H\",\"approvals\":0}", "approval.approvals"),
        job("\"approval\":{\"by\":\"me\"}", "approval.by"),
        job("\"approval\":true", "approval"),
        job("\"parent\":\"1\"", "parent"),
        job("\"parent\":\"x\"", "parent"),
        job("\"parent\":\"-7\"", "parent"),
        job("\"headers\":{\"created-by\":\"you\"}", "headers.created-by"),
        job("\"headers\":{\"X-Up\":\"1\"}", "headers.X-Up"),
        job("\"headers\":{\"x-long\":\"" + "v".repeat(1001) + "\"}", "headers.x-long"),
        job("\"headers\":{\"x-null\":null}", "headers.x-null"),
        job("\"headers\":[]", "headers"),
        job("\"tenant\":\"other\"", "tenant"),
        batch("{}", "jobs"),
        batch("{\"jobs\":[]}", "jobs"),
        batch("{\"jobs\":[null]}", "jobs[0]"),
        batch("{\"jobs\":[" + good + ",{\"kind\":\"http\"}]}", "jobs[1].payload"),
        batch("{\"jobs\":[" + (good + ",").repeat(1000) + good + "]}", "jobs"),
        batch(
            "{\"jobs\":[" + good + "],\"chain\":true,\"whenAllEnded\":" + good + "}",
            "whenAllEnded"),
        batch("{\"jobs\":[" + good + "],\"whenAllEnded\":{}}", "whenAllEnded.kind"),
        batch("{\"jobs\":[" + good + "],\"parent\":\"12\"}", "parent"),
        batch("{\"jobs\":[" + good + "],\"chain\":\"maybe\"}", "chain"),
        new Bad("/v1/jobs/bulk", "{}", "action"),
        new Bad("/v1/jobs/bulk", "{\"action\":\"eat\",\"filter\":{\"kind\":\"http\"}}", "action"),
        new Bad("/v1/jobs/bulk", "{\"action\":\"cancel\",\"filter\":{}}", "filter"),
        new Bad("/v1/jobs/bulk", "{\"action\":\"cancel\",\"filter\":{\"kind\":\" \"}}", "filter"),
        new Bad("/v1/jobs/bulk", "{\"action\":\"cancel\",\"filter\":{\"state\":\"ILL\"}}", "state"),
        new Bad(
            "/v1/jobs/bulk",
            "{\"action\":\"cancel\",\"filter\":{\"kind\":\"http\"},\"limit\":-1}",
            "limit"),
        new Bad("/v1/dead-letters/purge", "{\"ids\":[]}", "ids"),
        new Bad("/v1/dead-letters/purge", "{\"ids\":[\"x\"]}", "ids[0]"),
        new Bad("/v1/dead-letters/requeue", "{\"ids\":[\"-1\"]}", "ids[0]"));
  }

  private long written() {
    return installation
        .bean(0, Sql.class)
        .of("select (select count(*) from @@job) + (select count(*) from @idempotency)")
        .query(Long.class)
        .single();
  }

  @TestFactory
  Stream<DynamicTest> whatCannotBeIsRefusedByNameAndNothingIsWritten() {
    Api api = installation.api().with("Idempotency-Key", "bad");
    return all().stream()
        .map(
            bad ->
                DynamicTest.dynamicTest(
                    bad.path() + " " + (bad.body().length() > 150 ? bad.field() : bad.body()),
                    () -> {
                      long before = written();
                      Api.Answer answer = Work.expect(400, api.post(bad.path(), bad.body()));
                      assertThat(answer.text("field")).isEqualTo(bad.field());
                      assertThat(answer.header("Content-Type")).contains("problem+json");
                      assertThat(answer.text("detail")).isNotEmpty();
                      assertThat(written()).isEqualTo(before);
                    }));
  }

  @Test
  void badQuestionsAreRefusedByName() {
    Api api = installation.api();
    for (String[] each :
        new String[][] {
          {"/v1/jobs?limit=0", "limit"},
          {"/v1/jobs?limit=-5", "limit"},
          {"/v1/jobs?limit=501", "limit"},
          {"/v1/jobs?limit=many", "limit"},
          {"/v1/jobs?after=x", "after"},
          {"/v1/jobs?state=ILL", "state"},
          {"/v1/jobs?parent=x", "parent"},
          {"/v1/jobs?createdAfter=yesterday", "createdAfter"},
          {"/v1/dead-letters?state=READY", "state"},
          {"/v1/statistics?all=perhaps", "all"},
          {"/v1/tenants?after=%00", ""},
          {"/v1/keys?after=%00", ""},
        }) {
      assertThat(Work.expect(400, api.get(each[0])).text("field")).isEqualTo(each[1]);
    }
    for (String id : List.of("0", "-1", "x", "99999999999999999999", "%00")) {
      assertThat(api.get("/v1/jobs/" + id).status()).as(id).isBetween(400, 404);
    }
    Work.expect(400, api.post("/v1/jobs/1/reschedule", "{}"));
    Work.expect(404, api.post("/v1/jobs/1/reschedule", Api.json("at", "2030-01-01T00:00:00Z")));
  }

  @Test
  void hugeBodiesAreRefused() {
    long before = written();
    String huge =
        "{\"kind\":\"http\",\"payload\":{\"url\":\"http://127.0.0.1:9/\",\"body\":\""
            + "x".repeat(1_200_000)
            + "\"}}";

    Api.Answer answer = installation.api().post("/v1/jobs", huge);

    assertThat(Work.expect(400, answer).text("field")).isEqualTo("payload");
    assertThat(written()).isEqualTo(before);
  }
}
