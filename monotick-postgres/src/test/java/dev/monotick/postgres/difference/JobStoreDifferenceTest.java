package dev.monotick.postgres.difference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The store in memory and the one in PostgreSQL get the same random calls, and must give the same
 * answers: what runs on the one in a simulation holds for the other only as far as they agree.
 *
 * <p>More seeds: {@code -Dmonotick.seeds=1000}, one of them again: {@code -Dmonotick.seed=17},
 * longer runs: {@code -Dmonotick.steps=1000}. A difference is reduced to the steps that it needs.
 */
@Tag("thorough")
@Timeout(3_600)
class JobStoreDifferenceTest {

  private static final int STEPS = Integer.getInteger("monotick.steps", 100);

  @SuppressWarnings("NullAway.Init") // before all tests
  private static Stores stores;

  /** After as many sequences, everything that is counted has happened. */
  private static final int ENOUGH = 30;

  private static final Tally all = new Tally();
  private static int played;

  static LongStream seeds() {
    Long one = Long.getLong("monotick.seed");
    long first = Long.getLong("monotick.firstSeed", 1L);
    return one == null
        ? LongStream.range(first, first + Long.getLong("monotick.seeds", 40L))
        : LongStream.of(one);
  }

  @BeforeAll
  static void open() {
    stores = new Stores();
  }

  @AfterAll
  static void close() {
    stores.close();
    System.out.println("compared: " + all);
    if (played >= ENOUGH) { // fewer need not have everything
      assertThat(all.missing()).as("what happened in no sequence").isEmpty();
    }
  }

  /** Defect 5 of the review: the replica froze, its job was rescued, died and was purged. */
  @Test
  void lateReportDoesNotReviveAJobThatWasPurged() {
    agreeOn(
        Script.enqueue("j0"),
        Script.claim(0, 1),
        new Step.Leave(0),
        new Step.Rescue(),
        Script.claim(1, 1),
        Script.report(1, "j0", 2, Report.How.DIED),
        new Step.Decide("j0", Step.Decide.What.PURGE, Duration.ZERO),
        Script.report(0, "j0", 1, Report.How.HANDED_BACK),
        Script.claim(1, 2));
  }

  /** Defect 1 of the review: the number of a turn is free again after rescue. */
  @Test
  void numberOfATurnStaysUsedAfterRescueAndRejoin() {
    agreeOn(
        Script.enqueue("j0"),
        Script.claim(0, 1),
        new Step.Leave(0),
        new Step.Rescue(),
        new Step.Join(0, Step.Join.How.AGAIN),
        Script.claim(0, 1),
        new Step.Join(0, Step.Join.How.REJOINED),
        Script.late(0, 1, 1),
        Script.claim(0, 1));
  }

  /** A process that joined again has three seconds to report, whatever became of others. */
  @Test
  void rescueOfAReplicaThatIsGoneLeavesClaimsToOneThatRejoined() {
    agreeOn(
        Script.enqueue("j0"),
        Script.enqueue("j1"),
        Script.claimOne(0, 1),
        Script.claimOne(1, 1),
        new Step.Join(0, Step.Join.How.REJOINED),
        new Step.Leave(1),
        new Step.Rescue(),
        Script.report(0, 1, "j0", 1, Report.How.SUCCEEDED),
        new Step.Advance(Duration.ofSeconds(3)),
        new Step.Rescue());
  }

  /** It would take the place of one that can run, and the replica would wait for no reason. */
  @Test
  void jobThatIsHandedBackAfterItsDeadlineIsNotAmongThoseThatTheTurnTakes() {
    Report late = new Report("j0", 1, 1, Report.How.HANDED_BACK, Duration.ZERO, false);
    agreeOn(
        Script.enqueue("j0", Optional.of(Duration.ofSeconds(1))),
        Script.enqueue("j1"),
        Script.claimOne(0, 1),
        new Step.Advance(Duration.ofSeconds(2)),
        new Step.Turn(1, 0, 1, List.of(), 1, 1, false), // the next turn need not look what expired
        new Step.Turn(0, 0, 2, List.of(late), 1, 0, false));
  }

  /** Ends of runs that a claim still names were forgotten with the dead letter. */
  @Test
  void claimThatNamesAPurgedJobRevivesNothing() {
    agreeOn(
        Script.enqueue("j0"),
        Script.enqueue("j1"),
        Script.claim(0, 1),
        Script.report(0, "j0", 1, Report.How.DIED),
        new Step.Decide("j0", Step.Decide.What.PURGE, Duration.ZERO),
        new Step.Leave(0),
        new Step.Rescue(),
        Script.claim(1, 1));
  }

  private static void agreeOn(Step... steps) {
    Optional<String> difference = Lockstep.replay(stores, List.of(steps));
    assertThat(difference).isEmpty();
  }

  @ParameterizedTest(name = "-Dmonotick.seed={0}")
  @MethodSource("seeds")
  void storesAgreeOnEveryAnswer(long seed) {
    Lockstep run = new Lockstep(stores);
    RandomSteps steps = new RandomSteps(seed, run.memory());
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < STEPS && difference.isEmpty(); i++) {
      Step step = steps.next();
      difference = run.play(step);
      steps.played(step);
    }
    difference = difference.or(run::end);
    all.add(run.tally());
    played++;
    if (difference.isPresent()) {
      System.out.println("seed " + seed + " step " + run.played().size() + ": " + difference.get());
      List<Step> shrunk = Shrinker.shrink(stores, run.played());
      throw new AssertionError(
          "the stores differ; run it again with -Dmonotick.seed="
              + seed
              + "\n"
              + describe(shrunk)
              + Lockstep.replay(stores, shrunk)
                  .or(() -> Optional.of("not when these are played again"))
                  .get()
              + "\nat first: "
              + difference.get());
    }
  }

  private static String describe(List<Step> steps) {
    List<String> lines = new ArrayList<>();
    steps.forEach(step -> lines.add((lines.size() + 1) + ". " + step + "\n"));
    return String.join("", lines);
  }
}
