package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.store.JobTurn;
import dev.monotick.replica.ReplicaId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of a job that was given, as text. */
final class HandOverTextTest {

  private final ReplicaId replica = ReplicaId.random();

  @Test
  void itAnswersTheTurnOfItsReplicaAndNumberOnly() {
    HandOver text = parse(replica + " 7 11 3 1000000 " + HandOver.about(draft("a")));
    assertThat(text.answers(turn(replica, 7))).isTrue();
    assertThat(text.answers(turn(replica, 8))).isFalse();
    assertThat(text.answers(turn(ReplicaId.random(), 7))).isFalse();
    assertThat(JobFixture.text(text.job(JobFixture.LANE))).isEqualTo("a");
  }

  @Test
  void withoutTheJobItAnswersNoTurn() {
    assertThat(parse(replica + " 7 11 3 1000000").answers(turn(replica, 7))).isFalse();
  }

  @Test
  void emptyPayloadsAreReadToo() {
    HandOver text = parse(replica + " 7 11 3 1000000 " + HandOver.about(draft("")));
    assertThat(text.job(JobFixture.LANE).payload()).isEmpty();
    assertThat(text.job(JobFixture.LANE).headers()).isEmpty();
  }

  @Test
  void whatIsTooLongIsNotTold() {
    assertThat(HandOver.about(draft("x".repeat(5_700)))).isNotNull();
    assertThat(HandOver.about(draft("x".repeat(5_900)))).isNull();
    assertThat(HandOver.about(draft("x".repeat(5_900_000)))).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "mail", "a b c d e f", "a b c d e f g h i j k l"})
  void otherTextIsNotTakenForOne(String text) {
    assertThat(HandOver.parse(text)).isNull();
  }

  private static HandOver parse(String text) {
    return requireNonNull(HandOver.parse(text));
  }

  private static JobTurn turn(ReplicaId replica, long number) {
    return new JobTurn(replica, number, List.of(), 1, Set.of("letter"), Set.of(), true);
  }
}
