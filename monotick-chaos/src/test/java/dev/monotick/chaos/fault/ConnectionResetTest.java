package dev.monotick.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All connections of a leader that lives are reset at the same moment. Seen from the server this is
 * a process that died, and another replica may lead before the old one has noticed. So here it is
 * not asked that only one relies on leadership at a time; all that rests on the ledger must hold.
 */
@Tag("thorough")
@Timeout(120)
class ConnectionResetTest {

  private static final int RESETS = 3;

  @Test
  void aLeaderWhoseConnectionsAreAllResetAtOnceHasNoEffectTwice() {
    try (Run run =
        new Run(
            "reset",
            Flavour.ADVISORY,
            Servers.shared(),
            Run.folder("reset"),
            place -> ReplicaEnvironment.plain())) {
      for (int i = 0; i < RESETS; i++) {
        ClusterMember leader = run.steady();
        int mark = run.journal().mark();
        run.cluster().reset(leader);
        run.journal()
            .await(
                "end of the term",
                Run.PATIENCE,
                mark,
                entry -> entry.is("lost") && entry.source().equals(leader.source()));
        run.journal().await("next term", Run.PATIENCE, mark, entry -> entry.is("gained"));
      }
      Findings findings = run.settleAndCheck();
      assertThat(findings.terms()).isGreaterThan(RESETS);
      assertThat(findings.violations())
          .filteredOn(violation -> !violation.startsWith(Checker.ONE_LEADER))
          .isEmpty();
    }
  }
}
