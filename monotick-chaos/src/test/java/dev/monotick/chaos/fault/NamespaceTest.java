package dev.monotick.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.Namespaces;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.network.ProxyBehaviour;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The kernel's own network is cut, between namespaces. The tests behind a proxy cover the same
 * faults everywhere; this one shows that the proxy is no kinder than a network.
 */
@Tag("thorough")
@ResourceLock("namespaces") // they are named after this process
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class NamespaceTest {

  private Namespaces namespaces;
  private Run run;

  @SuppressWarnings("NullAway.Init") // see start
  NamespaceTest() {}

  @BeforeAll
  void start() {
    Optional<String> obstacle = Namespaces.obstacle();
    assumeTrue(
        obstacle.isEmpty(),
        () -> "network namespaces cannot be made here (root and ip are needed): " + obstacle.get());
    namespaces = Namespaces.create(Run.PLACES);
    run =
        new Run(
            "namespaces",
            Flavour.ADVISORY,
            Servers.shared(),
            Run.folder("namespaces"),
            namespaces::of);
  }

  @AfterAll
  @SuppressWarnings("NullAway") // nothing was started if nothing could be
  void stop() {
    if (run != null) {
      run.close();
    }
    if (namespaces != null) {
      namespaces.close();
    }
  }

  @Test
  void aLeaderBehindABlackHoleStepsDown() {
    stepsDownWhile(ProxyBehaviour.CUT_BOTH_WAYS);
  }

  @Test
  void aLeaderWhoseRequestsVanishStepsDown() {
    stepsDownWhile(ProxyBehaviour.CUT_REQUESTS);
  }

  @Test
  void aLeaderWhoseRepliesVanishStepsDown() {
    stepsDownWhile(ProxyBehaviour.CUT_REPLIES);
  }

  private void stepsDownWhile(ProxyBehaviour link) {
    ClusterMember leader = run.steady();
    int mark = run.journal().mark();
    namespaces.set(leader.place(), link);
    try {
      Journal.Entry gained = run.cluster().awaitTakeover(leader, mark, Run.PATIENCE);
      run.awaitEffectUnder(gained, mark);
      run.journal()
          .await(
              "end of the old term",
              Run.PATIENCE,
              mark,
              entry -> entry.is("lost") && entry.source().equals(leader.source()));
    } finally {
      namespaces.set(leader.place(), ProxyBehaviour.PASSING);
    }
    Findings findings = run.settleAndCheck();
    assertThat(findings.violations()).as(findings.toString()).isEmpty();
  }
}
