package dev.monotick.server.job.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What a sweep forgets, called by hand. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobRetentionTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.job-retention.interval", "1d")
          .with("monotick.job-retention.grace", "0s");

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  /** The replica that ran it last is not idle yet, or just became so. */
  @Test
  void noNewerJobIsForgottenInPlaceOfOneThatAClaimStillNames() {
    Api acme = Work.tenant(installation.api(), "named", "retainedJobs", 2);
    Work.create(acme, Work.later());
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String id = Work.create(acme, Work.later());
      Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel"));
      ids.add(id);
    }
    claim(ids.get(0));

    sweep();
    assertThat(isOnRecord(acme, ids)).containsExactly(true, false, true);

    release();
    sweep();
    assertThat(isOnRecord(acme, ids)).containsExactly(false, false, true);
  }

  private void sweep() {
    installation.bean(0, JobRetention.class).sweep();
  }

  private static List<Boolean> isOnRecord(Api acme, List<String> ids) {
    return ids.stream().map(id -> acme.get("/v1/jobs/" + id).status() == 200).toList();
  }

  /** The claim of a live replica that is not cleaned up, since its number is never used. */
  private void claim(String id) {
    int claims =
        installation
            .bean(0, Sql.class)
            .of(
                """
                insert into @@job_claim (replica, number, ids, lanes, runs, attempts, flags)
                select r.id, 9000000000, array[j.id], array[j.lane], array[1], array[1::smallint],
                       array[0::smallint]
                  from @@replica r, @@job j where r.gone_at is null and j.id = :id
                """)
            .param("id", Long.valueOf(id))
            .update();
    assertThat(claims).isEqualTo(1);
  }

  private void release() {
    installation
        .bean(0, Sql.class)
        .of("delete from @@job_claim where number = 9000000000")
        .update();
  }
}
