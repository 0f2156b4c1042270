package dev.monotick.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers are kept for as long as is said, and no longer. */
@Tag("thorough")
class IdempotencyCleanupTest {

  @Test
  void whatIsOlderThanTheRetentionIsForgottenAndNothingElse() {
    try (Installation installation =
        Installation.create()
            .with("monotick.idempotency.retention", "2h")
            .with("monotick.idempotency.cleanup-interval", "1s")) {
      Api api = installation.start();
      Api old = api.with("Idempotency-Key", "old");
      Api young = api.with("Idempotency-Key", "young");
      String first = Work.create(old, Work.later());
      String kept = Work.create(young, Work.later());
      age(installation, "old", 121);
      age(installation, "young", 119);

      Eventually.until("the old one is forgotten", () -> keys(installation, "old") == 0);

      assertThat(keys(installation, "young")).isEqualTo(1);
      assertThat(Work.create(young, Work.later())).isEqualTo(kept);
      assertThat(Work.create(old, Work.later())).as("made anew").isNotEqualTo(first);
    }
  }

  private static void age(Installation installation, String key, int minutes) {
    installation
        .bean(0, Sql.class)
        .of(
            "update @idempotency set created_at = now() - :minutes * interval '1 minute' where key = :key")
        .param("minutes", minutes)
        .param("key", key)
        .update();
  }

  private static int keys(Installation installation, String key) {
    return installation
        .bean(0, Sql.class)
        .of("select count(*) from @idempotency where key = :key")
        .param("key", key)
        .query((row, number) -> row.getInt(1))
        .single();
  }
}
