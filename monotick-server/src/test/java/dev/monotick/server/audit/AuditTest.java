package dev.monotick.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** What is on record, and proof that it is what was done. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AuditTest {

  private final Installation installation = Installation.create();
  private final Receiver receiver = new Receiver();
  private final AtomicInteger tenants = new AtomicInteger();

  @TempDir Path folder;

  @BeforeAll
  void start() {
    installation
        .with("monotick.audit.verification-interval", "1s")
        .with("monotick.audit.engine-interval", "100ms")
        .with("monotick.audit.retention-interval", "1s")
        .with("monotick.audit.retention", "1d");
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Sql sql() {
    return installation.bean(0, Sql.class);
  }

  /** Returns the name of a tenant with so many events of its own. */
  private String tenant(int events) {
    String tenant = "t" + tenants.incrementAndGet();
    sql().of("insert into @tenant (name) values (:name)").param("name", tenant).update();
    List<AuditEntry> entries = new ArrayList<>();
    for (int i = 1; i <= events; i++) {
      entries.add(AuditEntry.bySystem(tenant, "tested", "thing/" + i, Map.of("n", i, "ü", "\"\n")));
    }
    installation.bean(0, AuditTrail.class).append(entries);
    return tenant;
  }

  private Api as(String tenant) {
    return installation.api().with("Monotick-Tenant", tenant);
  }

  /** Does what somebody with all rights in the database could do. */
  private void tamper(String statement) {
    sql()
        .inTransaction(
            () -> {
              sql().of("set local session_replication_role = 'replica'").update();
              sql().composed(statement).update();
            });
  }

  @Test
  void eventsAreListedNewestFirstAndFiltered() {
    Api api = as(tenant(7));

    Api.Answer first = api.get("/v1/audit?limit=5");
    Api.Answer second = api.get("/v1/audit?limit=5&after=" + first.text("next"));

    assertThat(first.body().path("items")).hasSize(5);
    assertThat(first.body().at("/items/0/seq").asLong()).isEqualTo(7);
    assertThat(first.body().at("/items/0/detail/n").asLong()).isEqualTo(7);
    assertThat(second.body().path("items")).hasSize(2);
    assertThat(second.text("next")).isEmpty();
    assertThat(api.get("/v1/audit?subject=thing/3").body().path("items")).hasSize(1);
    assertThat(api.get("/v1/audit?action=other").body().path("items")).isEmpty();
    assertThat(api.get("/v1/audit?actor=system").body().path("items")).hasSize(7);
    assertThat(api.get("/v1/audit?from=2100-01-01T00:00:00Z").body().path("items")).isEmpty();
    assertThat(api.get("/v1/audit?to=2100-01-01T00:00:00Z").body().path("items")).hasSize(7);
    assertThat(api.get("/v1/audit?from=yesterday").text("field")).isEqualTo("from");
    assertThat(api.get("/v1/audit?after=x").text("field")).isEqualTo("after");
    assertThat(api.get("/v1/audit?scope=x").text("field")).isEqualTo("scope");
  }

  @Test
  void manyAppendersMakeOneChain() throws Exception {
    String tenant = tenant(1);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Callable<Void>> work = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      AuditTrail trail = installation.bean(i % 2, AuditTrail.class);
      work.add(
          () -> {
            trail.append(
                List.of(
                    AuditEntry.bySystem(tenant, "raced", "a", Map.of()),
                    AuditEntry.bySystem(tenant, "raced", "b", Map.of())));
            return null;
          });
    }
    for (Future<Void> each : threads.invokeAll(work)) {
      each.get();
    }
    threads.shutdown();

    Api.Answer verdict = as(tenant).post("/v1/audit/verify?from=start");

    assertThat(verdict.body().path("intact").asBoolean()).isTrue();
    assertThat(verdict.body().path("to").asLong()).isEqualTo(81);
  }

  @Test
  void nobodyChangesWhatIsOnRecord() {
    String tenant = tenant(2);
    as(tenant).post("/v1/audit/verify");
    for (String each :
        List.of(
            "update @audit_event set actor = 'nobody' where tenant = '" + tenant + "'",
            "delete from @audit_event where tenant = '" + tenant + "'",
            "truncate @audit_event",
            "update @audit_checkpoint set seq = 9 where tenant = '" + tenant + "'",
            "delete from @audit_checkpoint where tenant = '" + tenant + "'",
            "truncate @audit_checkpoint")) {
      assertThatThrownBy(() -> sql().composed(each).update())
          .as(each)
          .rootCause()
          .hasMessageContaining("never changed or deleted");
    }
  }

  @Test
  void aChangeIsFoundWhereItIs() {
    String changed = tenant(9);
    String deleted = tenant(9);
    String swapped = tenant(9);
    String cut = tenant(9);
    String beheaded = tenant(9);
    tamper("update @audit_event set detail = '{}' where tenant = '" + changed + "' and seq = 4");
    tamper("delete from @audit_event where tenant = '" + deleted + "' and seq = 5");
    tamper(
        """
        update @audit_event e set action = o.action, subject = o.subject, detail = o.detail
          from @audit_event o where e.tenant = '%1$s' and o.tenant = '%1$s'
           and e.seq in (6, 7) and o.seq = 13 - e.seq
        """
            .formatted(swapped));
    tamper("delete from @audit_event where tenant = '" + cut + "' and seq > 7");
    tamper("delete from @audit_event where tenant = '" + beheaded + "' and seq < 3");

    assertThat(brokenAt(changed)).isEqualTo(4);
    assertThat(brokenAt(deleted)).isEqualTo(5);
    assertThat(brokenAt(swapped)).isEqualTo(6);
    assertThat(brokenAt(cut)).isEqualTo(8);
    assertThat(brokenAt(beheaded)).isEqualTo(1);
    as(changed).post("/v1/audit/verify?from=start");
    assertThat(as(changed).get("/v1/audit?action=audit_broken").body().path("items")).hasSize(1);
  }

  private long brokenAt(String tenant) {
    return as(tenant).post("/v1/audit/verify?from=start").body().path("brokenAt").asLong();
  }

  @Test
  void aChainThatWasWrittenAnewIsNotTheOneThatWasVerified() {
    String tenant = tenant(3);
    as(tenant).post("/v1/audit/verify");
    tamper("delete from @audit_event where tenant = '" + tenant + "'");
    tamper("update @audit_chain set seq = 0, hash = '' where tenant = '" + tenant + "'");
    installation
        .bean(0, AuditTrail.class)
        .append(Collections.nCopies(3, AuditEntry.bySystem(tenant, "forged", "x", Map.of())));

    assertThat(brokenAt(tenant)).isEqualTo(3);
  }

  @Test
  void theTaskVerifiesWhatIsNew() {
    String tenant = tenant(5);
    Eventually.until(
        "a checkpoint at the end",
        () ->
            installation
                .bean(0, AuditReader.class)
                .verified(tenant)
                .filter(end -> end.seq() == 5)
                .isPresent());
    tamper("update @audit_event set actor = 'x' where tenant = '" + tenant + "' and seq = 2");
    Api.Answer onwards = as(tenant).post("/v1/audit/verify");

    assertThat(onwards.body().path("intact").asBoolean()).isTrue();
    assertThat(onwards.body().path("after").asLong()).isEqualTo(5);
    assertThat(brokenAt(tenant)).isEqualTo(2);
  }

  @Test
  void retentionRemovesOnlyWhatWasVerifiedAndKeepsTheChain() {
    String tenant = tenant(6);
    AuditChainPosition third =
        installation.bean(0, AuditReader.class).range(tenant, 2, 3, 1).get(0).end();
    sql()
        .of(
            """
            insert into @audit_checkpoint (tenant, seq, hash, at)
            values (:tenant, 3, decode(:hash, 'hex'), now() - interval '2 days')
            """)
        .param("tenant", tenant)
        .param("hash", third.hash())
        .update();

    Eventually.until(
        "the first three are gone",
        () -> as(tenant).get("/v1/audit").body().path("items").size() == 3);
    Api.Answer verdict = as(tenant).post("/v1/audit/verify?from=start");
    assertThat(verdict.body().path("intact").asBoolean()).isTrue();
    assertThat(verdict.body().path("after").asLong()).isEqualTo(3);
  }

  @Test
  void anExportIsVerifiedWithoutTheServer() throws IOException {
    String tenant = tenant(9);
    List<String> lines = as(tenant).get("/v1/audit/export").raw().body().lines().toList();

    assertThat(lines).hasSize(10);
    AuditCheckResult good = AuditExport.verify(file(lines));
    assertThat(good.intact()).isTrue();
    assertThat(good.checked()).isEqualTo(9);
    assertThat(
            AuditExport.verify(
                    file(as(tenant).get("/v1/audit/export?after=4").raw().body().lines().toList()))
                .checked())
        .isEqualTo(5);

    assertThat(broken(changed(lines, 4, lines.get(4).replace("thing/4", "thing/5")))).isEqualTo(4);
    assertThat(broken(without(lines, 5))).isEqualTo(5);
    assertThat(broken(without(lines, 9))).isEqualTo(9);
    List<String> swapped = new ArrayList<>(lines);
    Collections.swap(swapped, 6, 7);
    assertThat(broken(swapped)).isEqualTo(6);
    assertThat(broken(changed(lines, 3, "{"))).isEqualTo(3);
    assertThat(AuditExport.verify(file(List.of())).intact()).isFalse();
    assertThat(AuditExport.verify(file(lines), Map.of(9L, "00")).brokenAt()).isEqualTo(9);
  }

  @Test
  void aForkIsFoundInAnExport() throws IOException {
    List<String> lines = as(tenant(3)).get("/v1/audit/export").raw().body().lines().toList();
    List<String> forked = new ArrayList<>(lines);
    forked.add(3, lines.get(2));

    assertThat(broken(forked)).isEqualTo(2);
    assertThat(AuditExport.verify(file(forked)).reason()).contains("fork");
  }

  private long broken(List<String> lines) throws IOException {
    AuditCheckResult verdict = AuditExport.verify(file(lines));
    assertThat(verdict.intact()).isFalse();
    return verdict.brokenAt() == null ? -1 : verdict.brokenAt();
  }

  private static List<String> changed(List<String> lines, int line, String text) {
    List<String> changed = new ArrayList<>(lines);
    changed.set(line, text);
    return changed;
  }

  private static List<String> without(List<String> lines, int line) {
    List<String> less = new ArrayList<>(lines);
    less.remove(line);
    return less;
  }

  private Path file(List<String> lines) throws IOException {
    return Files.write(Files.createTempFile(folder, "audit", ".ndjson"), lines);
  }

  @Test
  void retriesAndLeadershipAreOnRecord() {
    receiver.answers(call -> 500);
    Api api = installation.api();
    String id =
        api.post(
                "/v1/jobs",
                Api.json(
                    "kind",
                    "http",
                    "maxAttempts",
                    3,
                    "payload",
                    Api.json("url", receiver.url("/retried"))))
            .text("id");

    Eventually.until(
        "the retry is on record",
        () ->
            !api.get("/v1/audit?action=job_retry&subject=job/" + id)
                .body()
                .path("items")
                .isEmpty());
    Api.Answer retry = api.get("/v1/audit?action=job_retry&subject=job/" + id);
    assertThat(retry.body().at("/items/0/actor").asString()).isEqualTo("system");
    assertThat(retry.body().at("/items/0/detail/old_status").asString()).isEqualTo("RUNNING");
    assertThat(retry.body().at("/items/0/detail/new_status").asString()).isEqualTo("RETRYING");
    assertThat(retry.body().at("/items/0/detail/max_attempts").asString()).isEqualTo("3");
    assertThat(retry.body().at("/items/0/detail/replica").asString()).startsWith("replica-");
    Eventually.until(
        "somebody leads",
        () ->
            !api.get("/v1/audit?scope=installation&action=leadership_gained")
                .body()
                .path("items")
                .isEmpty());
  }
}
