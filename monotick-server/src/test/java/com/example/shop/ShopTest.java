package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Jobs;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.SpringApplication;

/** The server as part of an application that adds a kind of its own. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ShopTest {

  private static final Path SOURCES = Path.of("src", "test", "java", "com", "example", "shop");

  private final Installation installation = Installation.create();
  private Api api = new Api(0, null);

  @BeforeAll
  void start() {
    api = installation.start(new SpringApplication(Shop.class));
    installation.start(new SpringApplication(Shop.class));
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private static Object job(Object... payload) {
    return Api.json("kind", "invoice", "payload", Api.json(payload));
  }

  private long sentTo(String customer) {
    return installation.bean(0, Invoices.class).sentTo(customer)
        + installation.bean(1, Invoices.class).sentTo(customer);
  }

  @Test
  void aJobOfItsKindIsCreatedOverRestAndRunByIt() {
    Api.Answer made = Work.expect(201, api.post("/v1/jobs", job("customer", "ada", "cents", 950)));

    Work.await(api, made.text("id"), "SUCCEEDED");
    assertThat(sentTo("ada")).isEqualTo(1);
  }

  @Test
  void aScheduleMayNameItsKind() {
    Api.Answer made =
        Work.expect(
            201,
            api.post(
                "/v1/schedules",
                Api.json(
                    "name",
                    "rent",
                    "cron",
                    "* * * * * *",
                    "job",
                    job("customer", "bob", "cents", 1))));

    Eventually.until("it was fired", () -> sentTo("bob") >= 2);
    Work.expect(
        200, api.with("If-Match", "*").post("/v1/schedules/" + made.text("id") + "/disable"));
  }

  @Test
  void itsPayloadsAreCheckedWhenJobsAndSchedulesAreCreated() {
    List<Object> wrong = new ArrayList<>();
    wrong.add(job("cents", 5));
    wrong.add(job("customer", "eve", "cents", -5));
    wrong.add(job("customer", "eve", "cents", "many"));
    wrong.add(job("customer", "eve", "cents", 5, "tip", 1));
    List<String> said = new ArrayList<>();
    for (Object each : wrong) {
      Api.Answer answer = Work.expect(400, api.post("/v1/jobs", each));
      assertThat(answer.text("field")).startsWith("payload");
      said.add(answer.text("detail"));
      Work.expect(
          400, api.post("/v1/schedules", Api.json("name", "no", "cron", "0 0 * * *", "job", each)));
    }
    assertThat(said.get(0)).contains("customer is missing");
    assertThat(said.get(1)).contains("cents must be more than 0, but was -5");
    assertThat(said.get(3)).contains("payload.tip is not known");
    assertThat(api.get("/v1/schedules").raw().body()).doesNotContain("\"no\"");
  }

  @Test
  void theApplicationItselfEnqueuesThemToo() {
    installation.bean(1, Jobs.class).enqueue(Shop.INVOICE.of(new Invoice("kim", 3)));

    Eventually.until("it was sent", () -> sentTo("kim") == 1);
  }

  @Test
  void itsTasksAreInTheTruthTableAndTheServerIsAsItIsAlone() {
    Eventually.until(
        "both replicas tell of it",
        () -> api.get("/v1/tasks/stock-taking").body().path("replicas").size() == 2);
    assertThat(api.get("/health/ready").status()).isEqualTo(200);
    assertThat(api.as(null).get("/v1/jobs").status()).isEqualTo(401);
    assertThat(api.get("/v1/openapi").raw().body()).contains("\"openapi\":\"3.1");
  }

  @Test
  void theJavaOfThePageIsApieceOfTheShop() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "learn", "server.md"));
    String shop = squeezed(Files.readString(SOURCES.resolve("Shop.java")));
    Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(page);
    int found = 0;
    for (; blocks.find(); found++) {
      assertThat(shop).contains(squeezed(blocks.group(1)));
    }
    assertThat(found).isPositive();
  }

  private static String squeezed(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
