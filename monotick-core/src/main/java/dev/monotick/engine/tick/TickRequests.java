package dev.monotick.engine.tick;

import dev.monotick.engine.send.SendUntilAnswered;
import dev.monotick.engine.send.StoreCall;
import dev.monotick.engine.thread.EngineThreads;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests of one kind to the tick ledger, each with the code that takes its reply. */
final class TickRequests<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(TickRequests.class);
  private static final int LARGEST = 2_000;
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  private final EngineThreads threads;
  private final String what;
  private final Function<List<Q>, List<R>> call;
  private final SendUntilAnswered<Item<Q, R>, R> sender;
  private boolean isScheduled;
  private IntConsumer refusedListener = count -> {};

  private record Item<Q, R>(Q request, Consumer<R> reply) {}

  /** Creates it without requests. */
  TickRequests(EngineThreads threads, StoreCall.Target target, Function<List<Q>, List<R>> call) {
    this.threads = threads;
    this.what = target.what();
    this.call = call;
    this.sender = new SendUntilAnswered<>(threads, target, LONGEST_DELAY, new Owner());
  }

  /** Has a listener take the number of refused requests without an answer when it changes. */
  void whenRefused(IntConsumer listener) {
    refusedListener = listener;
  }

  void submit(Q request, Consumer<R> reply) {
    sender.add(new Item<>(request, reply));
    if (!isScheduled && !sender.isSending()) {
      // Sent as an action of its own, so that what else is due right now goes with it.
      isScheduled = true;
      threads.execute(
          () -> {
            isScheduled = false;
            sender.sendWaiting();
          });
    }
  }

  boolean isIdle() {
    return sender.isIdle();
  }

  private final class Owner implements SendUntilAnswered.Owner<Item<Q, R>, R> {

    @Override
    public List<R> send(List<Item<Q, R>> batch) {
      return call.apply(batch.stream().map(Item::request).toList());
    }

    @Override
    public Predicate<Item<Q, R>> newBatch() {
      int[] size = {0};
      return next -> ++size[0] <= LARGEST;
    }

    @Override
    public void answered(List<Item<Q, R>> batch, List<R> replies) {
      for (int i = 0; i < replies.size(); i++) {
        deliver(batch.get(i), replies.get(i));
      }
    }

    /**
     * What one reply leads to may fail (a metric, a schedule's predicate); the others still count.
     */
    private void deliver(Item<Q, R> item, R reply) {
      try {
        item.reply().accept(reply);
      } catch (RuntimeException e) {
        log.error(
            "{} was answered and could not be followed up request={}", what, item.request(), e);
      }
    }

    @Override
    public void ready() {
      sender.sendRefused();
      sender.sendWaiting();
    }

    @Override
    public void refusalsChanged(int count) {
      refusedListener.accept(count);
    }

    @Override
    public String describe(Item<Q, R> item) {
      return String.valueOf(item.request());
    }
  }
}
