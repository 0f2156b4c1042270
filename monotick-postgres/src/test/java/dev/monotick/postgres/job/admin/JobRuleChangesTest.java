package dev.monotick.postgres.job.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.job.ManualJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
final class JobRuleChangesTest {

  private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.000006Z");

  private ManualJobs fixture;
  private JobRuleChanges settings;
  private int lane;

  @BeforeEach
  void prepare() {
    fixture = new ManualJobs(TestDatabase.NEWEST);
    settings = fixture.settings;
    lane = fixture.lane("mail", "letter", "");
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void whatIsPausedStaysAsItIsUntilItIsResumed() {
    JobPause queue = new JobPause(JobPause.Of.QUEUE, "mail", "ann", "full", SINCE);
    JobPause kind = new JobPause(JobPause.Of.KIND, "letter", "bob", "broken", SINCE);
    settings.pause(queue);
    settings.pause(kind);
    settings.pause(new JobPause(JobPause.Of.QUEUE, "mail", "eve", "mine", SINCE));
    assertThat(settings.pauses()).containsExactly(kind, queue);
    assertThat(settings.resume(JobPause.Of.QUEUE, "letter")).isFalse();
    assertThat(fixture.woken).isEmpty();
    assertThat(settings.resume(JobPause.Of.KIND, "letter")).isTrue();
    assertThat(fixture.woken).containsExactly("mail");
    assertThat(settings.resume(JobPause.Of.KIND, "letter")).isFalse();
    assertThat(settings.pauses()).containsExactly(queue);
  }

  @Test
  void everyChangeRaisesTheVersion() {
    JobLimit limit = running(new JobLimit.Scope("letter", "", false), 2);
    Runnable[] changes = {
      () -> settings.pause(new JobPause(JobPause.Of.QUEUE, "mail", "ann", "full", SINCE)),
      () -> settings.resume(JobPause.Of.QUEUE, "mail"),
      () -> settings.limit(limit),
      () -> settings.removeLimit(limit.scope()),
      () -> settings.setTenantWeight("acme", 3),
      () -> settings.setTenantWeight("acme", 4),
    };
    for (Runnable change : changes) {
      long before = fixture.number("select version from @job_rules_version");
      change.run();
      assertThat(fixture.number("select version from @job_rules_version")).isGreaterThan(before);
    }
    assertThat(fixture.query("select * from @job_tenant")).containsExactly("acme|4");
  }

  @Test
  void aLimitSetAnewKeepsWhatRunsHoldOfIt() {
    JobLimit.Scope scope = new JobLimit.Scope("letter", JobLimit.Scope.EACH, false);
    settings.limit(running(scope, 2));
    long id = fixture.number("select id from @job_limit");
    fixture.execute("insert into @job_limit_use values (%d, 'acme', '', 2)".formatted(id));
    fixture.execute("insert into @job_limit_hold values (5, 1, %d, 'acme', '')".formatted(id));
    JobLimit rated =
        new JobLimit(
            scope, Optional.of(5), Optional.of(new JobLimit.Rate(10, Duration.ofSeconds(1))));
    settings.limit(rated);
    assertThat(settings.limits()).containsExactly(rated);
    assertThat(fixture.number("select id from @job_limit")).isEqualTo(id);
    assertThat(fixture.number("select running from @job_limit_use")).isEqualTo(2);
    JobLimit onlyRate =
        new JobLimit(
            new JobLimit.Scope("card", "", false),
            Optional.empty(),
            Optional.of(new JobLimit.Rate(1, Duration.ofMinutes(1))));
    settings.limit(onlyRate);
    assertThat(settings.limits()).containsExactly(onlyRate, rated);
    assertThat(settings.removeLimit(scope)).isTrue();
    assertThat(settings.removeLimit(scope)).isFalse();
    assertThat(settings.limits()).containsExactly(onlyRate);
    assertThat(fixture.number("select count(*) from @job_limit_use")).isZero();
    assertThat(fixture.number("select count(*) from @job_limit_hold")).isZero();
  }

  @Test
  void jobsThatALimitHeldBackStandInLineAgainWhenItChanges() {
    JobLimit.Scope scope = new JobLimit.Scope("letter", "", true);
    settings.limit(running(scope, 1));
    int limit = (int) fixture.number("select id from @job_limit");
    JobId first = fixture.blocked(fixture.job(lane), lane, limit, "k");
    settings.limit(running(scope, 2));
    assertThat(fixture.places(first)).containsExactly("ready " + -lane + " 0 0 8");
    JobId second = fixture.blocked(fixture.job(lane), lane, limit, "k");
    JobId other = fixture.blocked(fixture.job(lane), lane, limit + 1, "k");
    fixture.execute(
        "insert into @job_limit (id, kind, tenant, per_key, running) overriding system value"
            + " values (%d, 'card', '', true, 1)".formatted(limit + 1));
    assertThat(settings.removeLimit(scope)).isTrue();
    assertThat(fixture.places(second)).containsExactly("ready " + -lane + " 0 0 8");
    assertThat(fixture.places(other)).containsExactly("blocked");
    assertThat(fixture.counts()).isEqualTo("0|3|0|0|0|0|0");
    assertThat(fixture.woken).contains("mail");
  }

  @Test
  void weightsAndRetentionsThatCannotBeAreRefused() {
    assertThatThrownBy(() -> settings.setTenantWeight("acme", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("weight must be between 1 and 1000000, but was 0");
    assertThatThrownBy(() -> settings.retain("mail", "", Duration.ofHours(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retention must be between 1 and 36500 days, but was PT1H");
    assertThatThrownBy(() -> settings.retain("no such name", "", Duration.ofDays(1)))
        .isInstanceOf(IllegalArgumentException.class);
    settings.retain("", "acme", Duration.ofHours(25));
    settings.retain("mail", "", Duration.ofDays(3));
    settings.retain("mail", "", Duration.ofDays(7));
    assertThat(fixture.query("select queue, tenant, days from @job_retention order by 1"))
        .containsExactly("|acme|2", "mail||7");
  }

  private static JobLimit running(JobLimit.Scope scope, int most) {
    return new JobLimit(scope, Optional.of(most), Optional.empty());
  }
}
