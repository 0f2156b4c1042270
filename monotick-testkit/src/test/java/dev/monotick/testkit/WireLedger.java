package dev.monotick.testkit;

import dev.monotick.error.FencedException;
import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.FencedWork;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.testkit.Machine.Life;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
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
final class WireLedger implements TickLedger {

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
  private final TickLedger ledger;
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
  public Fence mintFence(String group, MemberId holder) {
    return ledger.mintFence(group, holder);
  }

  @Override
  public List<SeriesState> register(List<SeriesRegistration> registrations) {
    List<SeriesState> states = ledger.register(registrations);
    registrations.forEach(simulation.ticks()::registered);
    return states;
  }

  @Override
  public List<SeriesState> states(Collection<String> tasks) {
    return ledger.states(tasks);
  }

  @Override
  public List<TickClaimReply> claim(List<TickClaim> requests) {
    List<TickClaimReply> replies = ledger.claim(requests.stream().map(WireLedger::kept).toList());
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().claimed(process, requests.get(i), replies.get(i));
    }
    simulation.ticks().answers(replies, requests.stream().map(TickClaim::tick).toList());
    return replies;
  }

  @Override
  public List<TickClaimReply> take(List<TickTake> requests) {
    List<TickClaimReply> replies = ledger.take(requests.stream().map(WireLedger::kept).toList());
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().taken(process, requests.get(i), replies.get(i));
    }
    simulation.ticks().answers(replies, requests.stream().map(TickTake::tick).toList());
    return replies;
  }

  /** What commits with its tick may run again if there is no outcome, as AT_LEAST_ONCE may. */
  private static Effect kept(Effect effect) {
    return effect == Effect.TRANSACTIONAL ? Effect.AT_LEAST_ONCE : effect;
  }

  private static TickClaim kept(TickClaim request) {
    return new TickClaim(
        request.claim(),
        request.tick(),
        request.seen(),
        request.ranges(),
        request.onOverlap(),
        kept(request.effect()),
        request.leader());
  }

  private static TickTake kept(TickTake request) {
    return new TickTake(
        request.claim(),
        request.tick(),
        request.onOverlap(),
        kept(request.effect()),
        request.leader(),
        request.passedOver());
  }

  @Override
  public List<TickClaimReply> account(List<TickAccount> requests) {
    List<TickClaimReply> replies = ledger.account(requests);
    for (int i = 0; i < replies.size(); i++) {
      simulation.ticks().accounted(requests.get(i), replies.get(i));
    }
    return replies;
  }

  @Override
  public List<TickReportReply> report(List<TickReport> requests) {
    return ledger.report(requests);
  }

  @Override
  public void transact(FencedWork request, DataSource dataSource, SqlWork work)
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
                        && request.claim().shown().equals(row.claim()));
    boolean stale =
        request.leader() != null && !simulation.leaders().isNewest(request.leader().fence());
    if (!ours || stale) {
      throw new FencedException("tick " + request.tick() + " is no longer this replica's");
    }
    work.run(CONNECTION);
    simulation.ticks().transacted(process, request.tick());
    TickReport.Ended success =
        new TickReport.Ended(Outcome.SUCCEEDED, null, request.startedAt(), now(), false);
    ledger.report(List.of(new TickReport(request.claim(), request.tick(), success)));
    if (cut) {
      simulation.findings().fault(Seen.UNKNOWN_COMMITS_DONE, process + " transaction");
      throw new StoreException("the connection broke during the commit");
    }
  }

  @Override
  public SeriesState pause(String task, SeriesPause pause) {
    return ledger.pause(task, pause);
  }

  @Override
  public Optional<SeriesState> resume(SeriesState seen, List<TickRecord.Range> gaps) {
    return ledger.resume(seen, gaps);
  }

  @Override
  public boolean trigger(TickId tick) {
    return ledger.trigger(tick);
  }

  @Override
  public TickRescue rescue(MemberId replica, Collection<String> tasks) {
    // In one order, whatever the set's: the same seed must give the same run in every JVM.
    return ledger.rescue(replica, new TreeSet<>(tasks));
  }

  @Override
  public void onWaiting(Runnable listener) {
    ledger.onWaiting(() -> hints.accept(listener));
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return ledger.history(task, limit);
  }
}
