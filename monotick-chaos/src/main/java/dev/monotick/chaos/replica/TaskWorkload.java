package dev.monotick.chaos.replica;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.sink.EffectVerdict;
import dev.monotick.chaos.sink.SinkClient;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.chaos.sink.SinkEffect.Kind;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.task.TaskContext;
import dev.monotick.work.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Tasks of each mode and effect. Their bodies do nothing but have an effect on the sink, or write
 * into the database in one commit with their tick.
 */
public final class TaskWorkload {

  /** How often every task is due, if nothing else is said. */
  public static final Duration PERIOD = Duration.ofMillis(200);

  /** Runs on every replica. */
  public static final String EVERY = "every";

  /** Runs on the leader, and carries its fence. */
  public static final String LEADER = "leader";

  /** Runs on one replica, at most once. */
  public static final String ONE = "one";

  /** Runs on one replica, at least once, and is idempotent by its key. */
  public static final String AGAIN = "again";

  /** Runs on the leader, and writes into the database together with its tick. */
  public static final String EXACT = "exact";

  /** Runs on every replica, each of which claims other rows of a table. */
  public static final String SHARED = "shared";

  /** Runs on the leader, at least once, and is idempotent by its key. */
  public static final String LEADER_AGAIN = "leader-again";

  /** Runs on one replica, and writes into the database together with its tick. */
  public static final String ONE_EXACT = "one-exact";

  /** Runs on the leader for longer than its period, hears no interrupt and does not look again. */
  public static final String SLOW = "slow";

  /** Runs on one replica, and is paused and resumed by people. */
  public static final String PAUSED = "paused";

  /** Runs on one replica whenever somebody asks for it. */
  public static final String REQUESTED = "asked";

  /** Runs on one replica; editions of the program differ in when. */
  public static final String EDITED = "edited";

  /** One of each mode, and two more with other effects. */
  public static final Set<String> ALL = Set.of(EVERY, LEADER, ONE, AGAIN, EXACT, SHARED);

  /** All there are. */
  public static final Set<String> FULL =
      Set.of(
          EVERY,
          LEADER,
          ONE,
          AGAIN,
          EXACT,
          SHARED,
          LEADER_AGAIN,
          ONE_EXACT,
          SLOW,
          PAUSED,
          REQUESTED,
          EDITED);

  /** How many periods a body of {@link #SLOW} takes, and a half. */
  private static final int SLOW_PERIODS = 2;

  private final ReplicaProcessSettings settings;
  private final HistoryWriter teller;
  private final TermHistoryWriter terms;
  private final DataSource dataSource;
  private final ExactRows rows;
  private final SinkClient sink;

  TaskWorkload(
      ReplicaProcessSettings settings,
      HistoryWriter teller,
      TermHistoryWriter terms,
      DataSource dataSource) {
    this.settings = settings;
    this.teller = teller;
    this.terms = terms;
    this.dataSource = dataSource;
    this.rows = new ExactRows(settings.schema());
    this.sink = new SinkClient(settings.sink());
  }

  List<Task> tasks() {
    return settings.tasks().stream().sorted().map(this::task).toList();
  }

  /**
   * Returns the period of {@link #EDITED} in an edition: odd and even ones have no times in common
   * but few.
   */
  public static Duration editedPeriod(Duration period, int edition) {
    return edition % 2 == 1 ? period : period.multipliedBy(7).dividedBy(10);
  }

  private Task task(String name) {
    TaskBuilder task =
        Task.named(name)
            .schedule(schedule(name))
            .backoff(Backoff.none())
            .timeout(Duration.ofMinutes(5));
    return switch (name) {
      case EVERY -> task.mode(HaMode.EVERY_REPLICA).run(context -> send(context, Kind.PLAIN));
      case LEADER -> task.mode(HaMode.LEADER).run(context -> announceAndSend(context, Kind.FENCED));
      case ONE, PAUSED, REQUESTED, EDITED ->
          task.mode(HaMode.ONE_REPLICA).run(context -> announceAndSend(context, Kind.PLAIN));
      case AGAIN -> again(task.mode(HaMode.ONE_REPLICA));
      case LEADER_AGAIN -> again(task.mode(HaMode.LEADER));
      case EXACT -> exact(task.mode(HaMode.LEADER));
      case ONE_EXACT -> exact(task.mode(HaMode.ONE_REPLICA));
      case SHARED -> {
        SharedRows shared = new SharedRows(settings);
        yield task.mode(HaMode.SHARED).slots(2).run(context -> share(context, shared));
      }
      case SLOW -> task.mode(HaMode.LEADER).run(this::dawdleAndSend);
      default -> throw new IllegalArgumentException("there is no task " + name);
    };
  }

  private Schedule schedule(String name) {
    Duration period = settings.traits().period();
    return switch (name) {
      case REQUESTED -> Schedule.cron("0 0 1 1 *");
      case EDITED -> Schedule.every(editedPeriod(period, settings.launch().edition()));
      default -> Schedule.every(period);
    };
  }

  private Task again(TaskBuilder task) {
    return task.effect(dev.monotick.work.Effect.AT_LEAST_ONCE)
        .run(context -> announceAndSend(context, Kind.IDEMPOTENT));
  }

  /** Without a ledger there is no commit to share. */
  private Task exact(TaskBuilder task) {
    return settings.traits().unguarded()
        ? task.run(context -> announceAndSend(context, Kind.PLAIN))
        : task.effect(dev.monotick.work.Effect.TRANSACTIONAL).run(this::writeExactly);
  }

  /** Looks whether it may, and acts without looking again: the gap that only a fence closes. */
  private void announceAndSend(TaskContext context, Kind kind) throws InterruptedException {
    poll(context);
    refuseStale(sink.announceAndSend(effect(context, kind, context.idempotencyKey())));
  }

  /** As the worst of bodies: it takes its time, and nothing can stop it. */
  private void dawdleAndSend(TaskContext context) throws InterruptedException {
    poll(context);
    long end =
        System.nanoTime() + settings.traits().period().toNanos() * (2 * SLOW_PERIODS + 1) / 2;
    boolean interrupted = false;
    for (long left = 1; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    send(context, Kind.FENCED);
  }

  /** Asks whether it may, with the clock read before; throws if it may not. */
  private void poll(TaskContext context) throws InterruptedException {
    terms.check();
    long before = System.nanoTime();
    context.checkCancelled();
    context
        .fence()
        .ifPresent(
            fence ->
                teller.write(
                    HistoryEvent.at(
                        before,
                        "guard",
                        "task",
                        context.tick().task(),
                        "nominal",
                        context.nominalTime(),
                        "fence",
                        fence)));
  }

  /** Announces itself in the middle of its transaction, so that it can be held up there. */
  private void writeExactly(TaskContext context) throws Exception {
    context.fencedTransaction(
        dataSource,
        connection -> {
          rows.insert(
              connection,
              new ExactRows.Row(
                  context.tick().task(), context.nominalTime().toString(), settings.name()));
          sink.announce(effect(context, Kind.PLAIN, context.idempotencyKey()));
        });
  }

  private void send(TaskContext context, Kind kind) {
    refuseStale(sink.send(effect(context, kind, context.idempotencyKey())));
  }

  private void share(TaskContext context, SharedRows shared) throws Exception {
    for (long row : shared.claim(context.freeSlots())) {
      context.runInSlot(slot -> refuseStale(sink.send(effect(slot, Kind.PLAIN, "row-" + row))));
    }
  }

  private SinkEffect effect(TaskContext context, Kind kind, String key) {
    boolean fenced = kind == Kind.FENCED && !settings.traits().unguarded();
    return new SinkEffect(
        settings.schema(),
        context.tick().task(),
        context.nominalTime().toString(),
        context.attempt(),
        settings.name(),
        kind == Kind.FENCED && !fenced ? Kind.PLAIN : kind,
        context.fence().orElse(null),
        key);
  }

  /** A tick whose effect was refused has not succeeded, and its outcome must not say so. */
  private static void refuseStale(EffectVerdict verdict) {
    if (verdict == EffectVerdict.STALE) {
      throw new IllegalStateException("the sink has seen a newer fence");
    }
  }
}
