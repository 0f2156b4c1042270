package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a job store must do that hands off jobs; see {@link dev.monotick.spi.job.JobHandoffStore}.
 */
@Timeout(120)
public abstract class JobHandoffContract extends JobStoreContract {

  /** For backends. */
  protected JobHandoffContract() {}

  @Test
  void withdrawalClaimsNothingAndReturnsWhatItsNumberHas() {
    StoreExchange turn = newExchange(a, 2, KINDS);
    StoreExchange withdrawal = new StoreExchange(a, turn.number(), List.of(), 0, KINDS, Set.of());
    List<JobId> ids = enqueue(3, aJob());
    assertThat(withdrawal.with(jobs()).jobs()).isEmpty();
    assertThat(turn.with(jobs()).jobs()).hasSize(2);
    ClaimedJob first = withdrawal.with(jobs()).jobs().get(0);
    assertThat(ids(withdrawal.with(jobs()).jobs())).isEqualTo(ids.subList(0, 2));
    succeed(a, first);
    assertThat(ids(withdrawal.with(jobs()).jobs())).isEqualTo(ids.subList(1, 2));
    assertThat(states(ids.subList(2, 3))).containsOnly(JobState.READY);
  }

  @Test
  void offerIsNeitherAClaimNorInItsWay() {
    StoreExchange turn = newExchange(a, 2, KINDS);
    StoreExchange offer = new StoreExchange(a, turn.number(), List.of(), 2, KINDS, Set.of(), true);
    assertThat(offer.with(jobs()).used()).isFalse();
    assertThat(offer.with(jobs()).used()).as("once more").isFalse();
    JobId id = enqueue(aJob());
    List<ClaimedJob> found = offer.with(jobs()).jobs(); // handed off or not
    assertThat(ids(found)).containsExactly(id);
    succeed(a, found.get(0));
    StoreExchange withdrawal = new StoreExchange(a, turn.number(), List.of(), 0, KINDS, Set.of());
    assertThat(withdrawal.with(jobs()).jobs()).as("it is over").isEmpty();
  }

  @Test
  void offerOfALostMembershipBringsNothing() {
    StoreExchange turn = newExchange(a, 2, KINDS);
    assertThat(
            new StoreExchange(a, turn.number(), List.of(), 2, KINDS, Set.of(), true)
                .with(jobs())
                .jobs())
        .isEmpty();
    assertThat(loseAndRescue(a)).isZero();
    JobId id = enqueue(aJob());
    assertThat(state(id)).isEqualTo(JobState.READY);
    StoreExchange withdrawal = new StoreExchange(a, turn.number(), List.of(), 0, KINDS, Set.of());
    assertThat(withdrawal.with(jobs()).jobs()).isEmpty();
    assertThat(claimOne(b).id()).isEqualTo(id);
  }
}
