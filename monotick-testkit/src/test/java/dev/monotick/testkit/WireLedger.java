package dev.monotick.testkit;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.TransactRequest;
import dev.monotick.replica.ReplicaId;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import dev.monotick.task.FencedException;
import dev.monotick.task.SqlWork;
import dev.monotick.testkit.Machine.Life;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The ledger as one process reaches it. Plays a database too: TRANSACTIONAL is kept by having the
 * tick succeed in the same step as the work is done, if the claim and the fence still count then.
 */
final class WireLedger implements Ledger {

  private static final Connection CONNECTION =
      (Connection)
          Proxy.newProxyInstance(
              WireLedger.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private final Simulation simulation;
  private final Life process;
  private final Ledger ledger;
  private final Consumer<Runnable> hints;

  WireLedger(Simulation simulation, Life process, Consumer<Runnable> hints) {
    this.simulation = simulation;
    this.process = process;
    this.ledger = simulation.store().ledger();
    this.hints = hints;
  }

  @Override
  public Instant now() {
    return ledger.now().plus(process.storeClockError);
  }

  @Override
  public Set<Effect> effects() {
    return EnumSet.allOf(Effect.class);
  }

  @Override
  public Fence mintFence(String group, ReplicaId holder) {
    return ledger.mintFence(group, holder);
  }

  @Override
  public List<TaskState> register(List<TaskRegistration> registrations) {
    List<TaskState> states = ledger.register(registrations);
    registrations.forEach(simulation.ticks()::registered);
    return states;
  }

  @Override
  public List<TaskState> states(Collection<String> tasks) {
    return ledger.states(tasks);
  }

  @Override
  public List<ClaimReply> claim(List<ClaimRequest> requests) {
    List<ClaimReply> replies = ledger.claim(requests.stream().map(WireLedger::kept).toList());
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().claimed(process, requests.get(i), replies.get(i));
    }
    simulation.ticks().answers(replies, requests.stream().map(ClaimRequest::tick).toList());
    return replies;
  }

  @Override
  public List<ClaimReply> take(List<TakeRequest> requests) {
    List<ClaimReply> replies = ledger.take(requests.stream().map(WireLedger::kept).toList());
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().taken(process, requests.get(i), replies.get(i));
    }
    simulation.ticks().answers(replies, requests.stream().map(TakeRequest::tick).toList());
    return replies;
  }

  /** What commits with its tick may run again if there is no outcome, as AT_LEAST_ONCE may. */
  private static Effect kept(Effect effect) {
    return effect == Effect.TRANSACTIONAL ? Effect.AT_LEAST_ONCE : effect;
  }

  private static ClaimRequest kept(ClaimRequest request) {
    return new ClaimRequest(
        request.claim(),
        request.tick(),
        request.seen(),
        request.gaps(),
        request.onOverlap(),
        kept(request.effect()),
        request.leader());
  }

  private static TakeRequest kept(TakeRequest request) {
    return new TakeRequest(
        request.claim(),
        request.tick(),
        request.onOverlap(),
        kept(request.effect()),
        request.leader(),
        request.passedOver());
  }

  @Override
  public List<ClaimReply> account(List<AccountRequest> requests) {
    List<ClaimReply> replies = ledger.account(requests);
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().accounted(requests.get(i), replies.get(i));
    }
    return replies;
  }

  @Override
  public List<FinishReply> finish(List<FinishRequest> requests) {
    return ledger.finish(requests);
  }

  @Override
  public void transact(TransactRequest request, DataSource dataSource, SqlWork work)
      throws SQLException {
    SimulationPlan plan = simulation.plan();
    boolean reachable = !process.machine.requestsCut && !simulation.isStoreDown();
    boolean cut = !simulation.isCalm() && plan.percent(plan.cutCommitPercent);
    if (!reachable || (cut && plan.random.nextBoolean())) {
      throw new SQLException("the connection broke");
    }
    boolean ours =
        ledger.history(request.tick().task(), 1_000).stream()
            .anyMatch(
                row ->
                    row.status() == TickRecord.Status.RUNNING
                        && request.claim().equals(row.claim()));
    boolean stale =
        request.leader() != null && !simulation.leaders().isNewest(request.leader().fence());
    if (!ours || stale) {
      throw new FencedException("tick " + request.tick() + " is no longer this replica's");
    }
    work.run(CONNECTION);
    simulation.ticks().transacted(process, request.tick());
    FinishRequest.Ended success =
        new FinishRequest.Ended(Outcome.SUCCEEDED, null, request.startedAt(), now(), false);
    ledger.finish(List.of(new FinishRequest(request.claim(), request.tick(), success)));
    if (cut) {
      simulation.findings().fault(Seen.UNKNOWN_COMMITS_DONE, process + " transaction");
      throw new StoreException("the connection broke during the commit");
    }
  }

  @Override
  public TaskState pause(String task, Pause pause) {
    return ledger.pause(task, pause);
  }

  @Override
  public Optional<TaskState> resume(TaskState seen, List<Gap> gaps) {
    return ledger.resume(seen, gaps);
  }

  @Override
  public boolean trigger(TickId tick) {
    return ledger.trigger(tick);
  }

  @Override
  public Rescue rescue(ReplicaId replica, Collection<String> tasks) {
    // In one order, whatever the set's: the same seed must give the same run in every JVM.
    return ledger.rescue(replica, new TreeSet<>(tasks));
  }

  @Override
  public void whenWaiting(Runnable listener) {
    ledger.whenWaiting(() -> hints.accept(listener));
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return ledger.history(task, limit);
  }
}
