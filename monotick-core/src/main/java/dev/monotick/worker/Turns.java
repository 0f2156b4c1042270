package dev.monotick.worker;

import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.replica.ReplicaId;
import dev.monotick.thread.EngineThreads;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges with the store: each with all that ended meanwhile, and asking for as many jobs as
 * there is room for.
 *
 * <p>A job is asked for as soon as there may be one; what ended may wait a moment for company, but
 * goes with whatever leaves first. While an exchange is under way the next one gathers, so batches
 * grow with the load by themselves.
 *
 * <p>Where many jobs end, their ends are reported on a line of their own beside the one that asks
 * for jobs, so that the store does both at the same time. There is never more than one exchange
 * that asks: jobs are claimed under its number.
 *
 * <p>Jobs are asked for as a member, and numbers count from 1 for each membership. An answer to an
 * earlier membership starts nothing: its jobs are given back under that membership. Ends are
 * reported under the membership that claimed the job, whatever this process is by then; the store
 * decides whether they count.
 */
final class Turns {

  /** How long an end waits for company, and how many go at once without waiting. */
  private static final Duration LINGER = Duration.ofMillis(2);

  private static final int ENOUGH = 100;
  private static final int LARGEST = 2_000;

  /** With more bytes of results no more ends are added: a store takes no request of any size. */
  private static final long MOST_BYTES = 8L << 20;

  /** So many ends are worth an exchange of their own. */
  private static final int MANY = 250;

  /** With more unreported ends no jobs are asked for: what cannot be reported need not be run. */
  private static final int TOO_MANY = 2 * LARGEST;

  /** The first wait after nothing was found; doubles up to what the store says. */
  private static final long FIRST_LOOK_MILLIS = 50;

  private final WorkerContext context;
  private final EngineThreads threads;
  private final WorkerSettings settings;
  private final JobHandlers handlers;
  private final JobSlots slots;
  private final JobTelemetry telemetry;
  private final Prefetch prefetch;
  private final Line asks;
  private final Line reports;
  private final RefusedEnds refusedEnds;
  private final ConcurrentLinkedQueue<End> ends = new ConcurrentLinkedQueue<>();
  private final AtomicInteger endsWaiting = new AtomicInteger();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile @Nullable ReplicaId
      member; // null while this process is none; written on the loop
  private volatile boolean open; // asks for jobs; written on the loop
  private boolean mayHaveJobs;
  private boolean wokenMeanwhile;
  private boolean lingering;
  private boolean endsApart; // the exchange that asks has none because others are reported
  private boolean lastWasRefused; // the last report was of an end that was refused before
  private long number = 1; // of the next turn that asks; grows when one was given jobs
  private boolean stays; // the last turn that asked stays open: jobs may come under that number
  private volatile @Nullable JobTurn begun; // its jobs began before the loop heard of them
  private long turns; // so far
  private long lookMillis = FIRST_LOOK_MILLIS;
  private EngineThreads.Cancellable nextLook = () -> {};

  Turns(
      WorkerContext context,
      WorkerSettings settings,
      JobHandlers handlers,
      JobSlots slots,
      JobTelemetry telemetry) {
    this.context = context;
    this.threads = context.threads();
    this.settings = settings;
    this.handlers = handlers;
    this.slots = slots;
    this.telemetry = telemetry;
    this.prefetch = new Prefetch(settings.concurrency(), context.time().nanos());
    this.asks = new Line(context, new Retry(context.replica().hashCode()), new Answers());
    this.reports = new Line(context, new Retry(context.replica().hashCode()), new Answers());
    this.refusedEnds = new RefusedEnds(context, telemetry, this::goOn);
  }

  /** Takes an end, on any thread; {@link #tell} follows. */
  void add(JobFinish finish, @Nullable StopCause cause) {
    ends.add(new End(finish, cause));
    endsWaiting.incrementAndGet();
  }

  /** There is an end, and a place for another job. On any thread. */
  void tell() {
    // While an exchange is under way, its answer will see it; or else this sees that it came. To
    // wake the loop for each end costs more than most handlers do.
    boolean nobodySees = !reports.isBusy() && (!asks.isBusy() || endsWaiting.get() >= MANY);
    if (nobodySees && told.compareAndSet(false, true)) {
      threads.execute(
          () -> {
            told.set(false);
            goOn();
          });
    }
  }

  /** Begins to ask for jobs as a new member. */
  void open(ReplicaId as) {
    boolean unused = asks.regain(); // what stands by is of an earlier membership
    member = as;
    number = 1;
    stays = false;
    lookMillis = FIRST_LOOK_MILLIS;
    open = true;
    mayHaveJobs = true;
    goOn();
  }

  /** Returns whether this asks for jobs. */
  boolean isOpen() {
    return open;
  }

  /** Asks for no more, because this process stops. It is still a member, and closes its turn. */
  void close() {
    stopAsking();
    refusedEnds.hurry();
    goOn();
  }

  private void stopAsking() {
    open = false;
    nextLook.cancel();
  }

  /**
   * Asks for no more, because the membership is lost. A turn that it left open dies with it; ends
   * are still reported. Returns the membership.
   */
  Optional<ReplicaId> membershipLost() {
    Optional<ReplicaId> lost = Optional.ofNullable(member);
    member = null;
    stays = false;
    stopAsking();
    goOn();
    return lost;
  }

  private boolean isOfThisMember(JobTurn turn) {
    return turn.replica().equals(member);
  }

  /**
   * There may be jobs in these queues; empty for any. Asks for them at once, if a turn stands by
   * for that; on a thread of the store's.
   */
  boolean wake(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
    return isOurs(queues) && asks.takeUp(store);
  }

  private boolean isOurs(Set<String> queues) {
    return queues.isEmpty()
        || settings.queues().isEmpty()
        || queues.stream().anyMatch(settings.queues()::contains);
  }

  /** There may be jobs in these queues; empty for any. */
  void wake(Set<String> queues) {
    if (isOurs(queues)) {
      mayHaveJobs = true;
      wokenMeanwhile = true;
      goOn();
    }
  }

  /** Jobs were taken too early. */
  void slowDown() {
    prefetch.reset();
  }

  boolean isQuiet() {
    return !asks.isBusy()
        && !reports.isBusy()
        && endsWaiting.get() == 0
        && refusedEnds.count() == 0;
  }

  private void goOn() {
    ReplicaId self = member;
    if (!open && asks.regain() && stays && self != null) {
      stays = false;
      // Closes it; what it brings is given back.
      asks.send(List.of(), turn(self, number, List.of(), 0));
    }
    sendRefused();
    if (endsWaiting.get() >= MANY && !reports.isBusy()) {
      send(reports, 0);
    }
    // A small exchange is over soon, and what is sent then goes together.
    boolean mayAsk =
        !asks.isBusy() && (!reports.isBusy() || lastWasRefused || reports.ends() >= MANY);
    if (!mayAsk) {
      return;
    }
    int waiting = endsWaiting.get();
    int room = room();
    if (mayHaveJobs && room > 0) {
      send(asks, room);
    } else if (!reports.isBusy()) {
      if (waiting >= ENOUGH || (waiting > 0 && !open)) {
        send(room > 0 ? asks : reports, room);
      } else if (waiting > 0 && !lingering) {
        lingering = true;
        threads.schedule(LINGER, this::lingered);
      }
    }
  }

  /** Sends an end that was refused before, alone, in turn with those that were not. */
  private void sendRefused() {
    boolean isTheirTurn = !lastWasRefused || endsWaiting.get() == 0;
    if (refusedEnds.isDue() && !reports.isBusy() && isTheirTurn) {
      lastWasRefused = true;
      List<End> one = List.of(refusedEnds.next());
      reports.send(one, turn(one, 0));
    }
  }

  private void lingered() {
    if (lingering && !asks.isBusy() && !reports.isBusy() && endsWaiting.get() > 0) {
      // An end may make room under a limit, or make a job due: so it is asked for jobs as well.
      int room = room();
      send(room > 0 ? asks : reports, room);
    }
    lingering = false;
  }

  private int room() {
    boolean mayTake =
        open && !handlers.isEmpty() && endsWaiting.get() + refusedEnds.count() < TOO_MANY;
    return mayTake ? prefetch.room(slots.inHand(), context.time().nanos()) : 0;
  }

  private void send(Line line, int room) {
    if (!line.regain()) {
      return; // what stood by was taken up just now; its answer goes on
    }
    lingering = false;
    List<End> batch = reports.isBusy() ? List.of() : gathered();
    lastWasRefused &= batch.isEmpty();
    JobTurn turn = turn(batch, room);
    if (turn.most() > 0) {
      wokenMeanwhile = false;
      endsApart = reports.isBusy();
      nextLook.cancel();
    }
    line.send(batch, turn);
  }

  /** Returns the first ends that wait, all of one membership. */
  private List<End> gathered() {
    List<End> batch = new ArrayList<>();
    long bytes = 0;
    for (End end = ends.peek(); end != null && mayTake(end, batch, bytes); end = ends.peek()) {
      batch.add(ends.remove()); // only the loop takes from it
      bytes += end.bytes();
    }
    endsWaiting.addAndGet(-batch.size());
    return batch;
  }

  private static boolean mayTake(End end, List<End> batch, long bytes) {
    return batch.isEmpty()
        || (batch.size() < LARGEST
            && bytes < MOST_BYTES
            && end.owner().equals(batch.get(0).owner()));
  }

  /** Returns a turn that asks for jobs as well, unless the ends are of an earlier membership. */
  private JobTurn turn(List<End> batch, int room) {
    turns++;
    ReplicaId self = member;
    ReplicaId owner = batch.isEmpty() ? Objects.requireNonNull(self) : batch.get(0).owner();
    int most = owner.equals(self) ? room : 0;
    // What claims nothing has no number: it may overtake a turn that does.
    JobTurn turn = turn(owner, most > 0 ? number : 0, batch, most);
    stays |= turn.staysOpen();
    return turn;
  }

  private JobTurn turn(ReplicaId owner, long number, List<End> batch, int room) {
    // To leave a turn open is written down; so not before there was nothing twice, unless
    // something is written anyway. And not for jobs that could not begin at once.
    boolean isCalm = !batch.isEmpty() || lookMillis > FIRST_LOOK_MILLIS;
    boolean staysOpen = room > 0 && isCalm && slots.inHand() < settings.concurrency();
    List<JobFinish> finishes = batch.stream().map(End::finish).toList();
    return new JobTurn(
        owner, number, finishes, room, handlers.kinds(), settings.queues(), staysOpen);
  }

  /** Takes answers. */
  private final class Answers implements Line.Owner {

    @Override
    public void made(JobTurn turn, JobTurnReply reply) {
      // A slot asks again whether the job's membership is held, right before its handler begins.
      boolean began = open && isOfThisMember(turn) && slots.tryBegin(reply.jobs());
      begun = began ? turn : null;
    }

    @Override
    public void answered(List<End> batch, JobTurn turn, JobTurnReply reply) {
      refusedEnds.answered(batch);
      for (int i = 0; i < batch.size(); i++) {
        End end = batch.get(i);
        telemetry.ended(end.finish(), reply.finished().get(i), end.cause());
      }
      if (turn.most() == 0 || !endsApart) {
        prefetch.ended(batch.size(), context.time().nanos());
      }
      if (turn.most() == 0 && !batch.isEmpty()) {
        // An end may have made room under a limit, or a job ready or due, and the report did not
        // ask; what is being asked for meanwhile may not have seen it.
        mayHaveJobs = true;
        wokenMeanwhile = true;
      }
      take(turn, reply);
      goOn();
    }

    @Override
    public void refused(List<End> batch, JobTurn turn, Throwable failure, Duration wait) {
      if (turn.number() > 0 && isOfThisMember(turn)) {
        number++; // who knows what was claimed under this one
      }
      refusedEnds.refused(batch, failure);
      if (turn.most() == 0) {
        goOn(); // with others
      } else {
        mayHaveJobs = false;
        threads.schedule(wait, Turns.this::askAgain);
      }
    }
  }

  private void take(JobTurn turn, JobTurnReply reply) {
    List<ClaimedJob> jobs = reply.jobs();
    if (!jobs.isEmpty()) {
      lookMillis = FIRST_LOOK_MILLIS;
      if (turn.equals(begun)) {
        begun = null;
        slots.add(List.of());
      } else if (open && isOfThisMember(turn)) {
        slots.add(jobs);
      } else {
        slots.giveBack(jobs); // others may have them by now; the store knows
      }
    }
    if (!isOfThisMember(turn)) {
      return; // says nothing of what this member may ask for
    }
    if (reply.used()) {
      number = Math.max(number, turn.number() + 1);
    }
    if (turn.most() > 0) {
      stays = turn.staysOpen() && !reply.used();
      boolean isSpent = reply.used() && jobs.isEmpty(); // so it was not looked for others
      mayHaveJobs = reply.more() || wokenMeanwhile || isSpent;
      wokenMeanwhile = false;
      if (!mayHaveJobs && open) {
        lookLater(reply);
      }
    }
  }

  /** Nobody may tell of new jobs, and time makes jobs due: so it is looked again. */
  private void lookLater(JobTurnReply reply) {
    long longest = context.store().pollInterval().toMillis();
    lookMillis = Math.min(longest, reply.jobs().isEmpty() ? 2 * lookMillis : FIRST_LOOK_MILLIS);
    long spread = Math.max(1, lookMillis / 5);
    // Replicas that began together do not look together.
    long less = Math.floorMod(31L * context.replica().hashCode() + 17L * turns, spread);
    Duration wait = Duration.ofMillis(lookMillis - less);
    Duration due = reply.nextDue().orElse(wait);
    nextLook.cancel();
    nextLook =
        threads.schedule(
            due.compareTo(wait) < 0 ? due : wait,
            () -> {
              mayHaveJobs = true;
              goOn();
            });
    // It may be a while until they come: so no more than can begin at once.
    int room = Math.min(room(), settings.concurrency());
    ReplicaId self = member;
    if (room > 0 && self != null) {
      asks.standBy(turn(self, number, List.of(), room));
    }
  }

  private void askAgain() {
    mayHaveJobs = true;
    goOn();
  }
}
