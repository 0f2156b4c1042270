package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.LANE;
import static dev.monotick.postgres.job.JobFixture.RULES;
import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.drafts;
import static dev.monotick.postgres.job.JobFixture.success;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.JobRules;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobStart;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A job that comes alone is given to a replica that waits, by whoever adds it. */
@Tag("thorough")
@Timeout(120)
final class HandOverTest {

  private static final Set<String> KINDS = Set.of("letter");

  private final JobFixture fixture = new JobFixture();
  private final JobStore worker = fixture.open(builder -> builder);
  private final BlockingQueue<Heard> told = new LinkedBlockingQueue<>();

  private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

  /** What the worker's store told it, and the answer to the turn that was open. */
  private record Heard(Set<String> queues, JobTurnReply reply) {}

  /** The turn that whoever is told has made; null if it is deaf. */
  private volatile @Nullable JobTurn standing;

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theReplicaHasItWithoutAskingAndKnowsAllOfIt() throws InterruptedException {
    listen();
    JobTurn turn = openTurn(5);
    JobDraft draft =
        new JobDraft(
            LANE,
            3,
            "größer \0 als".getBytes(UTF_8),
            JobStart.NOW,
            RULES,
            Optional.empty(),
            Optional.empty(),
            Map.of("traceparent", "00-ab", "empty", "", "ü", "a b.c,{\"\\"));
    JobId id = add(draft);
    Heard heard = told.poll(20, TimeUnit.SECONDS);
    assertThat(heard).isNotNull();
    assertThat(heard.reply().jobs()).hasSize(1);
    ClaimedJob job = heard.reply().jobs().get(0);
    assertThat(job.id()).isEqualTo(id);
    assertThat(job.owner()).isEqualTo(fixture.replica);
    assertThat(fixture.query("select replica, number from @job_claim"))
        .containsExactly(fixture.replica + " 5");
    assertThat(fixture.query("select 1 from @job_open_turn")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 1 0 0 0 0");

    ClaimedJob asked = worker.turn(turn).jobs().get(0); // as if it had not heard
    assertThat(job.run()).isEqualTo(asked.run());
    assertThat(job.lane()).isEqualTo(asked.lane());
    assertThat(job.version()).isEqualTo(asked.version());
    assertThat(job.payload()).isEqualTo(asked.payload()).isEqualTo(draft.payload());
    assertThat(job.rules()).isEqualTo(asked.rules());
    assertThat(job.limitKey()).isEqualTo(asked.limitKey());
    assertThat(job.headers()).isEqualTo(asked.headers()).isEqualTo(draft.headers());

    JobTurn end = new JobTurn(fixture.replica, 0, List.of(success(job)), 0, KINDS, Set.of());
    assertThat(worker.turn(end).finished()).containsExactly(true);
    assertThat(fixture.outcomes(id.value())).containsExactly("1 1 0");
    assertThat(fixture.counts()).isEqualTo("0 0 0 1 0 0 0");
  }

  @Test
  void whoeverDidNotHearOfItGetsItWithItsNextTurn() {
    listen();
    JobTurn turn = openTurn(5);
    standing = null;
    JobId id = add(draft("a"));
    assertThat(worker.turn(turn).jobs()).extracting(ClaimedJob::id).containsExactly(id);
    assertThat(fixture.query("select 1 from @job_ready")).isEmpty();
  }

  @Test
  void aJobThatIsTooLongForANoticeIsFetched() throws InterruptedException {
    listen();
    openTurn(5);
    JobId id = add(draft("x".repeat(100_000)));
    Heard heard = told.poll(20, TimeUnit.SECONDS);
    assertThat(heard).isNotNull();
    assertThat(heard.reply().jobs()).extracting(ClaimedJob::id).containsExactly(id);
    assertThat(worker.find(id).orElseThrow().payload()).hasSize(100_000);
  }

  @Test
  void anOpenTurnIsUsedOnce() {
    listen();
    openTurn(5);
    add(draft("a"));
    add(draft("b"));
    assertThat(fixture.counts()).isEqualTo("0 1 1 0 0 0 0");
  }

  @Test
  void aTurnThatWasClosedIsGivenNothing() {
    listen();
    openTurn(5);
    standing = null; // or whoever hears of it takes it
    assertThat(worker.turn(aTurn(5, 0, false)).jobs()).isEmpty();
    assertThat(fixture.query("select 1 from @job_open_turn")).isEmpty();
    add(draft("a"));
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
  }

  @Test
  void whatItWasGivenBeforeItWasClosedComesWithThat() {
    listen();
    openTurn(5);
    standing = null;
    JobId id = add(draft("a"));
    assertThat(worker.turn(aTurn(5, 0, false)).jobs())
        .extracting(ClaimedJob::id)
        .containsExactly(id);
  }

  /** The next look of an idle replica costs no write. */
  @Test
  void aTurnThatIsOpenAlreadyIsLeftAsItIs() {
    listen();
    openTurn(5);
    List<String> before = fixture.query("select xmin, since from @job_open_turn");
    assertThat(worker.turn(aTurn(5, 1, true)).jobs()).isEmpty();
    assertThat(fixture.query("select xmin, since from @job_open_turn")).isEqualTo(before);
    fixture.add(2);
    assertThat(worker.turn(aTurn(5, 1, true)).jobs()).as("not left then").hasSize(1);
    assertThat(fixture.query("select 1 from @job_open_turn")).isEmpty();
  }

  /** Its row is young as long as it comes back to it. */
  @Test
  void aTurnThatWasOpenForLongIsWrittenAgain() {
    listen();
    openTurn(5);
    fixture.execute("update @job_open_turn set since = now() - interval '14 s'");
    worker.turn(aTurn(5, 1, true));
    assertThat(fixture.query("select now() - since < interval '10 s' from @job_open_turn"))
        .containsExactly("t");
    fixture.execute("update @job_open_turn set since = now() - interval '16 s'");
    standing = null;
    add(draft("a"));
    assertThat(fixture.counts()).as("too old").isEqualTo("0 1 0 0 0 0 0");
    fixture.execute("update @job_open_turn set since = now() - interval '61 s'");
    fixture.jobs.rescue();
    assertThat(fixture.query("select 1 from @job_open_turn")).as("forgotten").isEmpty();
  }

  /** A late copy may have claimed something under the number that is open. */
  @Test
  void aNumberThatIsTakenIsNotGivenAnotherJob() {
    listen();
    JobTurn turn = openTurn(5);
    fixture.execute(
        "insert into @job_claim (replica, number, ids, lanes, runs, attempts, flags) values ('"
            + fixture.replica.value()
            + "', 5, '{}', '{}', '{}', '{}', '{}')");
    add(draft("a"));
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
    assertThat(worker.turn(turn).jobs()).as("what that claim has").isEmpty();
    assertThat(worker.turn(turn).used()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("reasons")
  void itIsLeftToAllIf(String reason, Consumer change, JobDraft draft) {
    listen();
    openTurn(5);
    standing = null;
    change.accept(this);
    add(draft);
    assertThat(fixture.query("select count(*) from @job_ready")).containsExactly("1");
    assertThat(fixture.query("select 1 from @job_claim")).isEmpty();
  }

  private interface Consumer {
    void accept(HandOverTest test);
  }

  static Stream<Arguments> reasons() {
    Consumer nothing = test -> {};
    JobDraft plain = draft("a");
    return Stream.of(
        reason(
            "its queue was paused",
            test ->
                test.fixture.jobs.pause(
                    new JobPause(JobPause.Of.QUEUE, "mail", "ann", "", Instant.EPOCH)),
            plain),
        reason(
            "its kind was limited",
            test ->
                test.fixture.jobs.limit(
                    new JobLimit(
                        new JobLimit.Scope("letter", "", false), Optional.of(1), Optional.empty())),
            plain),
        reason(
            "the replica is gone", test -> test.fixture.declareGone(test.fixture.replica), plain),
        reason(
            "another took the turn first",
            test -> test.worker.turn(test.aTurn(5, 0, false)),
            plain),
        reason(
            "the replica has no handler",
            nothing,
            draft(new JobLane("mail", "parcel", "", 5), "a")),
        reason("it shares a limit by its key", nothing, with(plain, RULES, Optional.of("key"))),
        reason("it may run once only", nothing, with(plain, ONCE, Optional.empty())));
  }

  private static final JobRules ONCE =
      new JobRules(1, RULES.timeout(), Optional.empty(), Effect.AT_MOST_ONCE, Optional.empty());

  private static Arguments reason(String name, Consumer change, JobDraft draft) {
    return Arguments.of(name, change, draft);
  }

  private static JobDraft with(JobDraft draft, JobRules rules, Optional<String> key) {
    return new JobDraft(
        draft.lane(),
        draft.version(),
        draft.payload(),
        draft.start(),
        rules,
        draft.unique(),
        key,
        draft.headers());
  }

  @Test
  void severalJobsAreLeftToAll() {
    listen();
    openTurn(5);
    standing = null; // or whoever hears of them takes them
    fixture.jobs.enqueue(JobOrder.of(drafts(2)));
    assertThat(fixture.counts()).isEqualTo("0 2 0 0 0 0 0");
  }

  @Test
  void whatWasGivenToAReplicaThatIsGoneIsRescued() {
    listen();
    openTurn(5);
    standing = null;
    JobId id = add(draft("a"));
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(1);
    assertThat(fixture.outcomes(id.value())).containsExactly("1 1 6");
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
  }

  /** Else it would ask under that number for ever. */
  @Test
  void whoeverIsGivenAJobThatIsCalledOffFirstGoesOn() {
    listen();
    JobTurn turn = openTurn(5);
    standing = null;
    assertThat(fixture.jobs.cancel(add(draft("a")), "ann", "no")).isTrue();
    JobTurnReply reply = worker.turn(turn);
    assertThat(reply.jobs()).isEmpty();
    assertThat(reply.used()).isTrue();
    JobId next = add(draft("b"));
    assertThat(worker.turn(aTurn(6, 1, true)).jobs())
        .extracting(ClaimedJob::id)
        .containsExactly(next);
    assertThat(worker.rescue()).as("nothing of the first claim runs").isZero();
    assertThat(fixture.query("select number from @job_claim")).containsExactly("6");
    assertThat(fixture.counts()).isEqualTo("0 0 1 0 0 0 1");
  }

  /** It may be minutes late: the replica was rescued meanwhile, and its process joined again. */
  @Test
  void staleNoticeStartsNothingInTheMembershipThatCameAfter()
      throws SQLException, InterruptedException {
    deliverStaleNotice(() -> new JobTurn(fixture.join(), 5, List.of(), 1, KINDS, Set.of(), true));
  }

  /** The process was frozen all the time, and does not know that others rescued its claim. */
  @Test
  void staleNoticeStartsNothingInAMembershipThatIsOver() throws SQLException, InterruptedException {
    deliverStaleNotice(() -> aTurn(5, 1, true));
  }

  private void deliverStaleNotice(Supplier<JobTurn> turn)
      throws SQLException, InterruptedException {
    listen();
    openTurn(5);
    String channel = fixture.query("select channel from @job_open_turn").get(0);
    standing = null;
    JobId id = add(draft("a"));
    assertThat(fixture.query("select number from @job_claim")).as("handed over").hasSize(1);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(1);
    JobTurn other = fixture.wanting(fixture.join(), 1, List.of());
    ClaimedJob again = fixture.jobs.turn(other).jobs().get(0);
    assertThat(
            fixture
                .jobs
                .turn(fixture.wanting(other.replica(), 0, List.of(success(again))))
                .finished())
        .containsExactly(true);
    try (Connection application = fixture.database.connect()) { // which tells nobody of its job
      fixture.jobs.enqueue(application, JobOrder.of(List.of(draft("b"))));
    }
    standing = turn.get();
    fixture.query("select pg_notify('" + channel + "', '" + fixture.replica.value() + " 5')");
    Heard heard = told.poll(20, TimeUnit.SECONDS);
    assertThat(heard).as("what the notice made the replica do").isNotNull();
    assertThat(heard.reply().jobs()).isEmpty();
    assertThat(failures).isEmpty();
    assertThat(fixture.outcomes(id.value())).containsExactly("1 1 6", "2 1 0");
    assertThat(fixture.counts()).as("the other job waits").isEqualTo("0 1 0 1 0 0 0");
  }

  /** To fail would cost a replica that has much to do a tenth of a second before it tries again. */
  @Test
  void aTurnThatMeetsAGiverWaitsForHimAndDoesNotFail() throws Exception {
    listen();
    openTurn(5);
    int lane = Integer.parseInt(fixture.query("select id from @job_lane").get(0));
    List<Long> given = new ArrayList<>();
    try (Connection giver = fixture.database.connect()) {
      giver.setAutoCommit(false);
      assertThat(hand(giver, lane, given)).isTrue();
      fixture.add(1); // of which it hears, and makes its turn
      while (fixture.query("select 1 from pg_locks where not granted").isEmpty()) {
        assertThat(told).isEmpty();
      }
      giver.commit();
    }
    Heard heard = told.poll(20, TimeUnit.SECONDS);
    assertThat(heard).isNotNull();
    assertThat(heard.reply().jobs()).extracting(job -> job.id().value()).isEqualTo(given);
    assertThat(heard.reply().used()).isTrue();
    assertThat(failures).isEmpty();
    assertThat(fixture.counts()).as("the other waits").isEqualTo("0 1 1 0 0 0 0");
  }

  /**
   * Whatever is told is lost here: turns that race with those who add must bring every job once.
   */
  @Test
  void racingTurnsAndGiversClaimEachJobOnce() throws Exception {
    listen();
    openTurn(1);
    standing = null;
    worker.turn(aTurn(1, 0, false));
    int lane = Integer.parseInt(fixture.query("select id from @job_lane").get(0));
    int each = 300;
    AtomicInteger giving = new AtomicInteger(2);
    List<Long> added = Collections.synchronizedList(new ArrayList<>());
    List<Long> claimed = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger handed = new AtomicInteger();
    ReplicaId second = fixture.join();
    Callable<Long> giver =
        () -> {
          try (Connection connection = fixture.database.connect()) {
            for (int i = 0; i < each; i++) {
              handed.addAndGet(hand(connection, lane, added) ? 1 : 0);
            }
          }
          return (long) giving.decrementAndGet();
        };
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Long>> all =
        threads.invokeAll(
            List.of(
                giver,
                giver,
                () -> take(fixture.replica, giving, claimed),
                () -> take(second, giving, claimed)));
    threads.shutdown();
    for (Future<Long> done : all) {
      done.get();
    }
    assertThat(claimed).containsExactlyInAnyOrderElementsOf(added).doesNotHaveDuplicates();
    assertThat(handed).as("some were given").hasPositiveValue();
    assertThat(fixture.query("select 1 from @job_open_turn")).isEmpty();
    assertThat(fixture.query("select 1 from @job_ready")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 0 " + 2 * each + " 0 0 0");
  }

  private boolean hand(Connection connection, int lane, List<Long> added) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            fixture.resolve(
                "select * from @job_hand(?, 1, 1000, 3::smallint, 0::smallint, ''::bytea, null,"
                    + " null, 'nobody', 'mail')"))) {
      statement.setInt(1, lane);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        added.add(row.getLong(1));
        return row.getBoolean(2);
      }
    }
  }

  /** Takes turns as a worker does, until nobody adds any more and nothing is left. */
  private long take(ReplicaId who, AtomicInteger giving, List<Long> claimed) {
    List<JobFinish> ends = List.of();
    long number = 100;
    while (true) {
      // What is passed over by one turn, because it was committed late, is seen by a later one.
      boolean isLast = giving.get() == 0 && fixture.query("select 1 from @job_ready").isEmpty();
      int most = isLast ? 0 : 3;
      JobTurn turn = new JobTurn(who, number, ends, most, KINDS, Set.of(), !isLast);
      List<ClaimedJob> jobs = worker.turn(turn).jobs();
      jobs.forEach(job -> claimed.add(job.id().value()));
      ends = jobs.stream().map(JobFixture::success).toList();
      if (!jobs.isEmpty()) {
        number++;
      } else if (isLast) {
        return number;
      }
    }
  }

  private JobTurn aTurn(long number, int most, boolean staysOpen) {
    return new JobTurn(fixture.replica, number, List.of(), most, KINDS, Set.of(), staysOpen);
  }

  private JobId add(JobDraft draft) {
    // Through a store that has told nobody anything before: it leads.
    JobStore adder = fixture.open(builder -> builder);
    return adder.enqueue(JobOrder.of(List.of(draft))).get(0).id();
  }

  /** Makes the worker's store tell. */
  private void listen() {
    worker.whenReady(
        new ReadyListener() {
          @Override
          public void ready(Set<String> queues) {} // may have missed some

          @Override
          public void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
            JobTurn turn = standing;
            if (turn != null) {
              try {
                told.add(new Heard(queues, store.apply(turn)));
              } catch (RuntimeException e) {
                failures.add(e);
              }
            }
          }
        });
  }

  /** Leaves a turn open, once the store hears. */
  private JobTurn openTurn(long number) {
    fixture.execute(
        "insert into @job_lane (queue, kind, tenant, priority) values"
            + " ('mail', 'letter', '', 5) on conflict do nothing");
    fixture.execute("update @job_change set version = version + 1");
    JobTurn turn = aTurn(number, 1, true);
    do {
      assertThat(worker.turn(turn).jobs()).isEmpty();
    } while (!fixture.query("select number from @job_open_turn").contains("" + number));
    standing = turn;
    return turn;
  }
}
