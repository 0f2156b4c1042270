package dev.monotick.chaos.replica;

import dev.monotick.chaos.sink.Effect;
import dev.monotick.chaos.sink.Effect.Kind;
import dev.monotick.chaos.sink.SinkClient;
import dev.monotick.chaos.sink.Verdict;
import dev.monotick.task.Backoff;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.task.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * One task of each mode, each due five times a second, one more that is run again after a crash,
 * and one that writes into the database in one commit with its tick. The bodies of the others do
 * nothing but have an effect on the sink.
 */
public final class Workload {

  /** How often every task is due. */
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

  /** All of them. */
  public static final Set<String> ALL = Set.of(EVERY, LEADER, ONE, AGAIN, EXACT, SHARED);

  private final ReplicaSettings settings;
  private final SinkClient sink;

  Workload(ReplicaSettings settings) {
    this.settings = settings;
    this.sink = new SinkClient(settings.sink());
  }

  List<Task> tasks() {
    return settings.tasks().stream().sorted().map(this::task).toList();
  }

  private Task task(String name) {
    TaskBuilder task =
        Task.named(name).every(PERIOD).backoff(Backoff.none()).timeout(Duration.ofMinutes(5));
    return switch (name) {
      case EVERY -> task.mode(HaMode.EVERY_REPLICA).run(context -> send(context, Kind.PLAIN));
      case LEADER -> task.mode(HaMode.LEADER).run(context -> announceAndSend(context, Kind.FENCED));
      case ONE ->
          task.mode(HaMode.ONE_REPLICA).run(context -> announceAndSend(context, Kind.PLAIN));
      case AGAIN ->
          task.mode(HaMode.ONE_REPLICA)
              .effect(dev.monotick.task.Effect.AT_LEAST_ONCE)
              .run(context -> announceAndSend(context, Kind.IDEMPOTENT));
      case EXACT -> {
        ExactRows rows = new ExactRows(settings.schema());
        DataSource dataSource = ExactRows.dataSource(settings);
        yield task.mode(HaMode.LEADER)
            .effect(dev.monotick.task.Effect.TRANSACTIONAL)
            .run(context -> writeExactly(context, rows, dataSource));
      }
      case SHARED -> {
        SharedRows rows = new SharedRows(settings);
        yield task.mode(HaMode.SHARED).slots(2).run(context -> share(context, rows));
      }
      default -> throw new IllegalArgumentException("there is no task " + name);
    };
  }

  /** Looks whether it may, and acts without looking again: the gap that only a fence closes. */
  private void announceAndSend(TaskContext context, Kind kind) throws InterruptedException {
    context.checkCancelled();
    refuseStale(sink.announceAndSend(effect(context, kind, context.idempotencyKey())));
  }

  /** Announces itself in the middle of its transaction, so that it can be held up there. */
  private void writeExactly(TaskContext context, ExactRows rows, DataSource dataSource)
      throws Exception {
    context.fencedTransaction(
        dataSource,
        connection -> {
          rows.insert(
              connection, new ExactRows.Row(context.nominalTime().toString(), context.replica()));
          sink.announce(effect(context, Kind.PLAIN, context.idempotencyKey()));
        });
  }

  private void send(TaskContext context, Kind kind) {
    refuseStale(sink.send(effect(context, kind, context.idempotencyKey())));
  }

  private void share(TaskContext context, SharedRows rows) throws Exception {
    for (long row : rows.claim(context.freeSlots())) {
      context.runInSlot(slot -> refuseStale(sink.send(effect(slot, Kind.PLAIN, "row-" + row))));
    }
  }

  private Effect effect(TaskContext context, Kind kind, String key) {
    return new Effect(
        settings.schema(),
        context.tick().task(),
        context.nominalTime().toString(),
        context.attempt(),
        context.replica(),
        kind,
        context.fence().orElse(null),
        key);
  }

  /** A tick whose effect was refused has not succeeded, and its outcome must not say so. */
  private static void refuseStale(Verdict verdict) {
    if (verdict == Verdict.STALE) {
      throw new IllegalStateException("the sink has seen a newer fence");
    }
  }
}
