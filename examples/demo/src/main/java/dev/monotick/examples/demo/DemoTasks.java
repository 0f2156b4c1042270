package dev.monotick.examples.demo;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.task.TaskContext;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The tasks of the demo: one of each mode, one that fails, one that takes too long. */
final class DemoTasks {

  private static final Row SIGN_LIST = new Row("sign-list", HaMode.LEADER, 2);
  private static final Row SEND_DIGEST = new Row("send-digest", HaMode.ONE_REPLICA, 3);
  private static final Row POLL_SUPPLIER = new Row("poll-supplier", HaMode.ONE_REPLICA, 2);
  private static final Row BUILD_REPORT = new Row("build-report", HaMode.ONE_REPLICA, 4);
  private static final Row REFRESH_CACHE = new Row("refresh-cache", HaMode.EVERY_REPLICA, 5);
  private static final Row DRAIN_OUTBOX = new Row("drain-outbox", HaMode.SHARED, 1);

  /** All of them, in the order of the table. */
  static final List<Row> ROWS =
      List.of(SIGN_LIST, SEND_DIGEST, POLL_SUPPLIER, BUILD_REPORT, REFRESH_CACHE, DRAIN_OUTBOX);

  private static final int MESSAGES_PER_LIST = 3;
  private static final int SLOTS = 2;
  private static final Duration SENDING_TAKES = Duration.ofMillis(400);
  private static final Duration REPORT_TAKES = Duration.ofSeconds(5);

  private final EffectCounter effects;
  private final Outbox outbox;

  /** A task as the table lists it; its period is also what the witness counts ticks by. */
  record Row(String name, HaMode mode, long seconds) {

    Duration period() {
      return Duration.ofSeconds(seconds);
    }
  }

  /** A failure whose stack would tell nobody anything. */
  private static final class SupplierDownException extends Exception {

    private static final long serialVersionUID = 1;

    SupplierDownException() {
      super("the supplier is down, on purpose", null, false, false);
    }
  }

  DemoTasks(EffectCounter effects, Outbox outbox) {
    this.effects = effects;
    this.outbox = outbox;
  }

  /** Returns the tasks; all replicas get the same. */
  List<Task> all() {
    return List.of(
        // One steady owner. What was due while nobody led is made up for.
        begin(SIGN_LIST)
            .catchUp(CatchUp.all(10))
            .run(
                context -> {
                  effects.happened(context);
                  outbox.put(MESSAGES_PER_LIST);
                }),
        // One run per tick, spread over the replicas.
        begin(SEND_DIGEST).run(effects::happened),
        // Fails for a while, and is left alone for longer and longer meanwhile.
        begin(POLL_SUPPLIER)
            .backoff(new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(8)))
            .run(this::pollSupplier),
        // Takes longer than its period: every second tick finds it still running.
        begin(BUILD_REPORT)
            .run(
                context -> {
                  effects.happened(context);
                  context.sleep(REPORT_TAKES);
                }),
        begin(REFRESH_CACHE).run(effects::happened),
        // All replicas together, each taking as many messages as it has free slots.
        begin(DRAIN_OUTBOX).slots(SLOTS).run(this::drainOutbox));
  }

  private static TaskBuilder begin(Row row) {
    return Task.named(row.name).every(row.period()).mode(row.mode);
  }

  private void pollSupplier(TaskContext context) throws SupplierDownException {
    effects.happened(context);
    if (isSupplierDown(context.nominalTime())) {
      throw new SupplierDownException();
    }
  }

  /** The first ten seconds of every minute's second half. */
  private static boolean isSupplierDown(Instant nominal) {
    long second = Math.floorMod(nominal.getEpochSecond(), 60L);
    return second >= 30 && second < 40;
  }

  private void drainOutbox(TaskContext context) {
    effects.happened(context);
    for (int free = context.freeSlots(); free > 0; free--) {
      Long message = outbox.claim();
      if (message == null) {
        return;
      }
      context.runInSlot(slot -> send(message, slot));
    }
  }

  private void send(long message, TaskContext slot) throws InterruptedException {
    try {
      slot.sleep(SENDING_TAKES);
    } catch (InterruptedException e) {
      outbox.giveBack(message); // cancelled before it was sent: somebody else will
      throw e;
    }
    outbox.sent(message);
  }
}
