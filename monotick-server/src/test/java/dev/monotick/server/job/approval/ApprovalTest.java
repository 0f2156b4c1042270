package dev.monotick.server.job.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Who decides about jobs that await approval, through either of two replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ApprovalTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.approvals.interval", "100ms")
          .with("monotick.quota.active-jobs", "unlimited");

  /** Somebody, and how he is named. */
  private record Person(String name, Api api) {

    int approves(String job) {
      return api.post("/v1/jobs/" + job + "/approve").status();
    }

    int rejects(String job) {
      return api.post("/v1/jobs/" + job + "/reject").status();
    }
  }

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    threads.shutdownNow();
    installation.close();
    receiver.close();
  }

  private Person person(String role) {
    Api.Answer made =
        Work.expect(201, installation.api().post("/v1/keys", Api.json("name", role, "role", role)));
    return new Person(
        "key/" + made.body().at("/key/id").asString(), installation.api(1).as(made.text("secret")));
  }

  private Api.Answer asked(Person owner, Object... approval) {
    Map<String, Object> rules = Api.json("within", "PT1H");
    rules.putAll(Api.json(approval));
    return owner.api().post("/v1/jobs", Work.http(receiver.url("/gated"), "approval", rules));
  }

  private String create(Person owner, Object... approval) {
    return Work.expect(201, asked(owner, approval)).text("id");
  }

  private List<String> audited(String job) {
    return installation
        .bean(0, Sql.class)
        .of("select action from @audit_event where subject = :subject order by seq")
        .param("subject", "job/" + job)
        .query((row, number) -> row.getString(1))
        .list();
  }

  @Test
  void onlyThoseWhoAreNamedDecide() {
    Person owner = person("OPERATOR");
    Person approver = person("OPERATOR");
    Person substitute = person("OPERATOR");
    Person other = person("ADMIN");
    Object[] rules = {"approvers", List.of(approver.name()), "substitute", substitute.name()};
    String first = create(owner, rules);

    Api.Answer refused = other.api().post("/v1/jobs/" + first + "/approve");
    assertThat(Work.expect(403, refused).text("type")).endsWith(":not-an-approver");
    assertThat(other.rejects(first)).isEqualTo(403);
    assertThat(owner.approves(first)).isEqualTo(403);
    assertThat(
            owner.api().get("/v1/jobs/" + first + "/why").body().at("/facts/approvers").toString())
        .contains(approver.name())
        .contains(substitute.name());
    assertThat(approver.approves(first)).isEqualTo(200);
    Work.await(owner.api(), first, "SUCCEEDED");

    String second = create(owner, rules);
    assertThat(substitute.approves(second)).isEqualTo(200);
    Work.await(owner.api(), second, "SUCCEEDED");
    String third = create(owner, rules);
    assertThat(substitute.rejects(third)).isEqualTo(200);
    assertThat(owner.api().get("/v1/jobs/" + third).text("state")).isEqualTo("REJECTED");
    assertThat(audited(first)).containsExactly("job_created", "job_approved");
  }

  @Test
  void nobodyApprovesHisOwnInWhicheverRole() {
    Person owner = person("ADMIN");
    Person other = person("OPERATOR");
    assertThat(field(owner, "approvers", List.of(owner.name()))).isEqualTo("approval.approvers");
    assertThat(field(owner, "approvers", List.of(other.name()), "substitute", owner.name()))
        .isEqualTo("approval.substitute");
    assertThat(
            field(
                owner,
                "approvers",
                List.of(other.name()),
                "escalation",
                Api.json("after", "PT1S", "to", List.of(owner.name()))))
        .isEqualTo("approval.escalation.to");

    String job =
        create(
            owner,
            "approvers",
            List.of("role/OPERATOR"),
            "substitute",
            "role/ADMIN",
            "escalation",
            Api.json("after", "PT0.1S", "to", List.of("role/ADMIN")));
    Eventually.until("it is escalated", () -> audited(job).contains("approval_escalated"));
    assertThat(owner.approves(job)).isEqualTo(403);
    assertThat(other.approves(job)).isEqualTo(200);
  }

  private String field(Person owner, Object... approval) {
    return Work.expect(400, asked(owner, approval)).text("field");
  }

  @Test
  void othersMayDecideWhenNobodyHasInTime() {
    Person owner = person("OPERATOR");
    Person approver = person("OPERATOR");
    Person boss = person("ADMIN");
    Person bystander = person("OPERATOR");
    String job =
        create(
            owner,
            "approvers",
            List.of(approver.name()),
            "escalation",
            Api.json("after", "PT1.5S", "to", List.of("role/ADMIN")));

    assertThat(boss.approves(job)).as("not yet").isEqualTo(403);
    Eventually.until("it is escalated", () -> audited(job).contains("approval_escalated"));
    Api.Answer why = owner.api().get("/v1/jobs/" + job + "/why");
    assertThat(why.body().at("/facts/escalated").asBoolean()).isTrue();
    assertThat(bystander.approves(job)).isEqualTo(403);
    assertThat(boss.approves(job)).isEqualTo(200);

    Work.await(owner.api(), job, "SUCCEEDED");
    assertThat(audited(job)).containsExactly("job_created", "approval_escalated", "job_approved");
  }

  @Test
  void whatIsAskedAnewIsEscalatedAnew() {
    Person owner = person("OPERATOR");
    Person approver = person("OPERATOR");
    Person boss = person("ADMIN");
    String job =
        create(
            owner,
            "approvers",
            List.of(approver.name()),
            "escalation",
            Api.json("after", "PT1S", "to", List.of(boss.name())));
    Eventually.until("it is escalated", () -> audited(job).contains("approval_escalated"));
    assertThat(boss.rejects(job)).isEqualTo(200);
    Work.expect(200, owner.api().post("/v1/jobs/" + job + "/retry"));

    assertThat(boss.approves(job)).as("the new round begins with the approver").isEqualTo(403);
    Eventually.until(
        "it is escalated again",
        () -> audited(job).stream().filter("approval_escalated"::equals).count() == 2);
    assertThat(boss.approves(job)).isEqualTo(200);
  }

  @Test
  void anEscalationDoesNotPutOffTheEnd() {
    Person owner = person("OPERATOR");
    Person approver = person("OPERATOR");
    Person boss = person("ADMIN");
    String job =
        create(
            owner,
            "within",
            "PT2S",
            "approvers",
            List.of(approver.name()),
            "escalation",
            Api.json("after", "PT0.5S", "to", List.of(boss.name())));

    Work.await(owner.api(), job, "EXPIRED");

    assertThat(audited(job)).contains("approval_escalated");
    assertThat(boss.approves(job)).isEqualTo(409);
    assertThat(approver.approves(job)).isEqualTo(409);
    assertThat(owner.api().get("/v1/jobs/" + job).text("state")).isEqualTo("EXPIRED");
  }

  @Test
  void severalOfThoseWhoAreNamedMustApprove() {
    Person owner = person("OPERATOR");
    Person one = person("OPERATOR");
    Person two = person("OPERATOR");
    Object both = List.of(one.name(), two.name());
    String job = create(owner, "approvals", 2, "approvers", both);

    assertThat(one.approves(job)).isEqualTo(200);
    assertThat(one.approves(job)).isEqualTo(409);
    assertThat(person("ADMIN").approves(job)).isEqualTo(403);
    assertThat(two.approves(job)).isEqualTo(200);
    Work.await(owner.api(), job, "SUCCEEDED");
    assertThat(field(owner, "approvals", 3, "approvers", both)).isEqualTo("approval.approvers");
  }

  /** Jobs are approved before and while they are escalated, and while and after they expire. */
  @Test
  void ofADecisionAnExpiryAndAnEscalationEachComesInItsTurn() {
    Person owner = person("OPERATOR");
    Person approver = person("OPERATOR");
    Person boss = person("ADMIN");
    List<CompletableFuture<Set<Integer>>> all = new ArrayList<>();
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String job =
          create(
              owner,
              "within",
              "PT2S",
              "approvers",
              List.of(approver.name()),
              "escalation",
              Api.json("after", "PT1S", "to", List.of(boss.name())));
      jobs.add(job);
      long delay = i * 40_000_000L; // the first before either, the last after both
      all.add(CompletableFuture.supplyAsync(() -> race(job, delay, approver, boss), threads));
    }
    List<Set<Integer>> answers = all.stream().map(CompletableFuture::join).toList();

    int approved = 0;
    int escalated = 0;
    for (int i = 0; i < jobs.size(); i++) {
      String job = jobs.get(i);
      Eventually.until(
          "it ends",
          () ->
              List.of("SUCCEEDED", "EXPIRED")
                  .contains(owner.api().get("/v1/jobs/" + job).text("state")));
      boolean isApproved = owner.api().get("/v1/jobs/" + job).text("state").equals("SUCCEEDED");
      List<String> acts = audited(job);
      assertThat(acts.stream().filter("job_approved"::equals).count())
          .as(job + acts)
          .isEqualTo(isApproved ? 1 : 0);
      assertThat(acts.stream().filter("approval_escalated"::equals).count())
          .as(job + acts)
          .isLessThanOrEqualTo(1);
      if (isApproved) {
        assertThat(acts.get(acts.size() - 1)).as("nothing comes after").isEqualTo("job_approved");
        approved++;
      }
      assertThat(answers.get(i).contains(200)).isEqualTo(isApproved);
      assertThat(answers.get(i)).isSubsetOf(200, 403, 409);
      escalated += acts.contains("approval_escalated") ? 1 : 0;
    }
    assertThat(approved).as("both were seen").isBetween(1, jobs.size() - 1);
    assertThat(escalated).as("both were seen").isBetween(1, jobs.size() - 1);
  }

  private static Set<Integer> race(String job, long delay, Person approver, Person boss) {
    LockSupport.parkNanos(delay);
    Set<Integer> answers = new HashSet<>();
    answers.add(boss.approves(job));
    answers.add(approver.approves(job));
    return answers;
  }

  /** What fails after a decision undoes it, and what is on record of it. */
  @Test
  void aDecisionAndItsEntryAreOneTransaction() {
    Sql sql = installation.bean(0, Sql.class);
    sql.of(
            """
            create function @doomed() returns trigger language plpgsql as $$
            begin
              if new.key = 'doomed' then raise exception 'not this one'; end if;
              return new;
            end $$
            """)
        .update();
    sql.of(
            "create trigger doomed before update on @idempotency for each row"
                + " execute function @doomed()")
        .update();
    Person owner = person("OPERATOR");
    Person other = person("OPERATOR");
    Api doomed = other.api().with("Idempotency-Key", "doomed");
    String gated = create(owner);
    String later = Work.create(owner.api(), Work.later());

    for (String each : List.of("approve", "reject", "cancel")) {
      assertThat(doomed.post("/v1/jobs/" + gated + "/" + each).status()).isGreaterThan(499);
    }
    Object time = Api.json("at", "2100-01-01T00:00:00Z");
    assertThat(doomed.post("/v1/jobs/" + later + "/reschedule", time).status()).isGreaterThan(499);
    assertThat(owner.api().get("/v1/jobs/" + gated).text("state")).isEqualTo("AWAITING_APPROVAL");
    assertThat(owner.api().get("/v1/jobs/" + later).text("dueAt")).doesNotContain("2100");
    assertThat(audited(gated)).containsExactly("job_created");

    assertThat(other.rejects(gated)).isEqualTo(200);
    assertThat(doomed.post("/v1/jobs/" + gated + "/retry").status()).isGreaterThan(499);
    assertThat(owner.api().get("/v1/jobs/" + gated).text("state")).isEqualTo("REJECTED");
    assertThat(audited(gated)).containsExactly("job_created", "job_rejected");
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    Person owner = person("OPERATOR");
    Person viewer = person("VIEWER");
    Person other = person("OPERATOR");
    assertThat(field(owner, "substitute", other.name())).isEqualTo("approval.approvers");
    assertThat(field(owner, "approvers", List.of())).isEqualTo("approval.approvers");
    for (String each :
        List.of("somebody", "role/KING", "role/VIEWER", "key/nobody", viewer.name(), "user/")) {
      assertThat(field(owner, "approvers", List.of(each))).as(each).isEqualTo("approval.approvers");
    }
    Object named = List.of(other.name());
    for (Object after : List.of("PT0S", "PT1H", "soon")) {
      assertThat(
              field(
                  owner,
                  "approvers",
                  named,
                  "escalation",
                  Api.json("after", after, "to", List.of("role/ADMIN"))))
          .isEqualTo("approval.escalation.after");
    }
    assertThat(field(owner, "approvers", named, "escalation", Api.json("after", "PT1S")))
        .isEqualTo("approval.escalation.to");
    assertThat(
            field(
                owner,
                "approvers",
                List.of("user/" + "x".repeat(90), "user/" + "y".repeat(90)),
                "escalation",
                Api.json("after", "PT1S", "to", many())))
        .isEqualTo("approval");
  }

  private static List<String> many() {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      many.add("user/" + i + "z".repeat(90));
    }
    return many;
  }
}
