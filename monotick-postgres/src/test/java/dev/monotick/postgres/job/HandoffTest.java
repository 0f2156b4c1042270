package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.LANE;
import static dev.monotick.postgres.job.JobFixture.RULES;
import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.drafts;
import static dev.monotick.postgres.job.JobFixture.success;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.StoreExchange;
import dev.monotick.work.Effect;
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
import java.util.function.Supplier;
import java.util.stream.Stream;
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
final class HandoffTest {

  private static final Set<String> KINDS = Set.of("letter");

  private final JobFixture fixture = new JobFixture();
  private final JobStore worker = fixture.open(builder -> builder);
  private final BlockingQueue<Optional<ClaimReply>> told = new LinkedBlockingQueue<>();

  private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

  /** Whether what the store tells is heard. */
  private volatile boolean isDeaf;

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theReplicaHasItWithoutAskingAndKnowsAllOfIt() throws InterruptedException {
    listen();
    StoreExchange turn = openTurn(5);
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
    ClaimReply heard = heard();
    assertThat(heard.jobs()).hasSize(1);
    ClaimedJob job = heard.jobs().get(0);
    assertThat(
            fixture.query(
                "select count(*) from pg_stat_activity where application_name like '%"
                    + fixture.database.schema()
                    + ".jobs jobs' and query like '%job_exchange%'"))
        .as("read in the session that heard of it")
        .containsExactly("1");
    assertThat(job.id()).isEqualTo(id);
    assertThat(job.owner()).isEqualTo(fixture.replica);
    assertThat(fixture.query("select replica, number from @job_claim"))
        .containsExactly(fixture.replica + " 5");
    assertThat(fixture.query("select 1 from @job_offer")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 1 0 0 0 0");

    ClaimedJob asked = turn.with(worker).jobs().get(0); // as if it had not heard
    assertThat(job.run()).isEqualTo(asked.run());
    assertThat(job.lane()).isEqualTo(asked.lane());
    assertThat(job.version()).isEqualTo(asked.version());
    assertThat(job.payload()).isEqualTo(asked.payload()).isEqualTo(draft.payload());
    assertThat(job.rules()).isEqualTo(asked.rules());
    assertThat(job.limitKey()).isEqualTo(asked.limitKey());
    assertThat(job.headers()).isEqualTo(asked.headers()).isEqualTo(draft.headers());

    StoreExchange end =
        new StoreExchange(fixture.replica, 0, List.of(success(job)), 0, KINDS, Set.of());
    assertThat(end.with(worker).finished()).containsExactly(true);
    assertThat(fixture.outcomes(id.value())).containsExactly("1 1 0");
    assertThat(fixture.counts()).isEqualTo("0 0 0 1 0 0 0");
  }

  @Test
  void whoeverDidNotHearOfItGetsItWithItsNextTurn() {
    listen();
    StoreExchange turn = openTurn(5);
    isDeaf = true;
    JobId id = add(draft("a"));
    assertThat(turn.with(worker).jobs()).extracting(ClaimedJob::id).containsExactly(id);
    assertThat(fixture.query("select 1 from @job_ready")).isEmpty();
  }

  @Test
  void aJobThatIsTooLongForANoticeIsFetched() throws InterruptedException {
    listen();
    openTurn(5);
    JobId id = add(draft("x".repeat(100_000)));
    assertThat(heard().jobs()).extracting(ClaimedJob::id).containsExactly(id);
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
    isDeaf = true;
    assertThat(aTurn(5, 0, false).with(worker).jobs()).isEmpty();
    assertThat(fixture.query("select 1 from @job_offer")).isEmpty();
    add(draft("a"));
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
  }

  @Test
  void whatItWasGivenBeforeItWasClosedComesWithThat() {
    listen();
    openTurn(5);
    isDeaf = true;
    JobId id = add(draft("a"));
    assertThat(aTurn(5, 0, false).with(worker).jobs())
        .extracting(ClaimedJob::id)
        .containsExactly(id);
  }

  /** The next look of an idle replica costs no write. */
  @Test
  void aTurnThatIsOpenAlreadyIsLeftAsItIs() {
    listen();
    openTurn(5);
    List<String> before = fixture.query("select xmin, since from @job_offer");
    assertThat(aTurn(5, 1, true).with(worker).jobs()).isEmpty();
    assertThat(fixture.query("select xmin, since from @job_offer")).isEqualTo(before);
    fixture.add(2);
    assertThat(aTurn(5, 1, true).with(worker).jobs()).as("not left then").hasSize(1);
    assertThat(fixture.query("select 1 from @job_offer")).isEmpty();
  }

  /** Its row is young as long as it comes back to it. */
  @Test
  void aTurnThatWasOpenForLongIsWrittenAgain() {
    listen();
    openTurn(5);
    fixture.execute("update @job_offer set since = now() - interval '14 s'");
    aTurn(5, 1, true).with(worker);
    assertThat(fixture.query("select now() - since < interval '10 s' from @job_offer"))
        .containsExactly("t");
    fixture.execute("update @job_offer set since = now() - interval '16 s'");
    isDeaf = true;
    add(draft("a"));
    assertThat(fixture.counts()).as("too old").isEqualTo("0 1 0 0 0 0 0");
    fixture.execute("update @job_offer set since = now() - interval '61 s'");
    fixture.jobs.rescue();
    assertThat(fixture.query("select 1 from @job_offer")).as("forgotten").isEmpty();
  }

  /** A late copy may have claimed something under the number that is open. */
  @Test
  void aNumberThatIsTakenIsNotGivenAnotherJob() {
    listen();
    StoreExchange turn = openTurn(5);
    fixture.execute(
        "insert into @job_claim (replica, number, ids, lanes, runs, attempts, flags) values ('"
            + fixture.replica.value()
            + "', 5, '{}', '{}', '{}', '{}', '{}')");
    add(draft("a"));
    assertThat(fixture.counts()).isEqualTo("0 1 0 0 0 0 0");
    assertThat(turn.with(worker).jobs()).as("what that claim has").isEmpty();
    assertThat(turn.with(worker).used()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("reasons")
  void itIsLeftToAllIf(String reason, Consumer change, JobDraft draft) {
    listen();
    openTurn(5);
    isDeaf = true;
    change.accept(this);
    add(draft);
    assertThat(fixture.query("select count(*) from @job_ready")).containsExactly("1");
    assertThat(fixture.query("select 1 from @job_claim")).isEmpty();
  }

  private interface Consumer {
    void accept(HandoffTest test);
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
            test -> test.aTurn(5, 0, false).with(test.worker),
            plain),
        reason(
            "the replica has no handler", nothing, draft(new Lane("mail", "parcel", "", 5), "a")),
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
    isDeaf = true;
    fixture.jobs.enqueue(EnqueueRequest.of(drafts(2)));
    assertThat(fixture.counts()).isEqualTo("0 2 0 0 0 0 0");
  }

  @Test
  void whatWasGivenToAReplicaThatIsGoneIsRescued() {
    listen();
    openTurn(5);
    isDeaf = true;
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
    StoreExchange turn = openTurn(5);
    isDeaf = true;
    assertThat(fixture.jobs.cancel(add(draft("a")), "ann", "no")).isTrue();
    StoreExchange.Reply reply = turn.with(worker);
    assertThat(reply.jobs()).isEmpty();
    assertThat(reply.used()).isTrue();
    JobId next = add(draft("b"));
    assertThat(aTurn(6, 1, true).with(worker).jobs())
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
    deliverStaleNotice(fixture::join);
  }

  /** The process was frozen all the time, and does not know that others rescued its claim. */
  @Test
  void staleNoticeStartsNothingInAMembershipThatIsOver() throws SQLException, InterruptedException {
    deliverStaleNotice(() -> fixture.replica);
  }

  private void deliverStaleNotice(Supplier<MemberId> heardBy)
      throws SQLException, InterruptedException {
    listen();
    openTurn(5);
    String channel = fixture.query("select channel from @job_offer").get(0);
    isDeaf = true;
    JobId id = add(draft("a"));
    assertThat(fixture.query("select number from @job_claim")).as("handed over").hasSize(1);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(1);
    StoreExchange other = fixture.wanting(fixture.join(), 1, List.of());
    ClaimedJob again = other.with(fixture.jobs).jobs().get(0);
    assertThat(
            fixture
                .wanting(other.replica(), 0, List.of(success(again)))
                .with(fixture.jobs)
                .finished())
        .containsExactly(true);
    try (Connection application = fixture.database.connect()) { // which tells nobody of its job
      fixture.jobs.enqueue(application, EnqueueRequest.of(List.of(draft("b"))));
    }
    MemberId now = heardBy.get();
    worker.handoff().orElseThrow().open(now, this::hear);
    isDeaf = false;
    told.clear();
    fixture.query("select pg_notify('" + channel + "', '" + fixture.replica.value() + " 5')");
    fixture.query(
        "select pg_notify('" + channel + "', '" + now.value() + " 77')"); // comes after it
    Optional<ClaimReply> read = told.poll(20, TimeUnit.SECONDS);
    assertThat(read).as("what the notice made the replica do").isNotNull().isEmpty();
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
      fixture.add(1);
      ExecutorService thread = Executors.newSingleThreadExecutor();
      Future<StoreExchange.Reply> reply = thread.submit(() -> aTurn(5, 1, true).with(worker));
      thread.shutdown();
      while (fixture.query("select 1 from pg_locks where not granted").isEmpty()) {
        assertThat(reply.isDone()).isFalse();
      }
      giver.commit();
      assertThat(reply.get().jobs()).extracting(job -> job.id().value()).isEqualTo(given);
      assertThat(reply.get().used()).isTrue();
    }
    assertThat(fixture.counts()).as("the other waits").isEqualTo("0 1 1 0 0 0 0");
  }

  /**
   * Whatever is told is lost here: turns that race with those who add must bring every job once.
   */
  @Test
  void racingTurnsAndGiversClaimEachJobOnce() throws Exception {
    listen();
    openTurn(1);
    isDeaf = true;
    aTurn(1, 0, false).with(worker);
    int lane = Integer.parseInt(fixture.query("select id from @job_lane").get(0));
    int each = 300;
    AtomicInteger giving = new AtomicInteger(2);
    List<Long> added = Collections.synchronizedList(new ArrayList<>());
    List<Long> claimed = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger handed = new AtomicInteger();
    MemberId second = fixture.join();
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
    assertThat(fixture.query("select 1 from @job_offer")).isEmpty();
    assertThat(fixture.query("select 1 from @job_ready")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 0 " + 2 * each + " 0 0 0");
  }

  private boolean hand(Connection connection, int lane, List<Long> added) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            fixture.resolve(
                "select * from @job_enqueue_or_hand_off(?, 1, 1000, 3::smallint, 0::smallint, ''::bytea, null,"
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
  private long take(MemberId who, AtomicInteger giving, List<Long> claimed) {
    List<Completion> ends = List.of();
    long number = 100;
    while (true) {
      // What is passed over by one turn, because it was committed late, is seen by a later one.
      boolean isLast = giving.get() == 0 && fixture.query("select 1 from @job_ready").isEmpty();
      int most = isLast ? 0 : 3;
      StoreExchange turn = new StoreExchange(who, number, ends, most, KINDS, Set.of(), !isLast);
      List<ClaimedJob> jobs = turn.with(worker).jobs();
      jobs.forEach(job -> claimed.add(job.id().value()));
      ends = jobs.stream().map(JobFixture::success).toList();
      if (!jobs.isEmpty()) {
        number++;
      } else if (isLast) {
        return number;
      }
    }
  }

  private StoreExchange aTurn(long number, int most, boolean staysOpen) {
    return new StoreExchange(fixture.replica, number, List.of(), most, KINDS, Set.of(), staysOpen);
  }

  private JobId add(JobDraft draft) {
    // Through a store that has told nobody anything before: it leads.
    JobStore adder = fixture.open(builder -> builder);
    return adder.enqueue(EnqueueRequest.of(List.of(draft))).get(0).id();
  }

  /** Makes the worker's store tell. */
  private void listen() {
    worker.onReady(queues -> {});
    worker.handoff().orElseThrow().open(fixture.replica, this::hear);
  }

  private void hear(long number, Supplier<Optional<ClaimReply>> claim) {
    if (!isDeaf) {
      try {
        told.add(claim.get());
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
  }

  private ClaimReply heard() throws InterruptedException {
    Optional<ClaimReply> heard = told.poll(20, TimeUnit.SECONDS);
    assertThat(heard).isPresent();
    return heard.orElseThrow();
  }

  /** Leaves a turn open, once the store hears. */
  private StoreExchange openTurn(long number) {
    fixture.execute(
        "insert into @job_lane (queue, kind, tenant, priority) values"
            + " ('mail', 'letter', '', 5) on conflict do nothing");
    fixture.execute("update @job_rules_version set version = version + 1");
    StoreExchange turn = aTurn(number, 1, true);
    do {
      assertThat(turn.with(worker).jobs()).isEmpty();
    } while (!fixture.query("select number from @job_offer").contains("" + number));
    return turn;
  }
}
