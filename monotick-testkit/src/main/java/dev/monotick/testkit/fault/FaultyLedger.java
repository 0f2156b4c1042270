package dev.monotick.testkit.fault;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
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
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A ledger seen through a link. What needs no exchange with the store never fails. */
final class FaultyLedger implements TickLedger {

  private final TickLedger ledger;
  private final FaultInjector faults;

  FaultyLedger(TickLedger ledger, FaultInjector gate) {
    this.ledger = ledger;
    this.faults = gate;
  }

  @Override
  public Instant now() {
    return ledger.now();
  }

  @Override
  public Duration clockOffset() {
    return ledger.clockOffset();
  }

  @Override
  public Set<Effect> effects() {
    return ledger.effects();
  }

  @Override
  public Fence mintFence(String group, MemberId holder) {
    return faults.call("mintFence", () -> ledger.mintFence(group, holder));
  }

  @Override
  public List<SeriesState> register(List<SeriesRegistration> registrations) {
    return faults.call("register", () -> ledger.register(registrations));
  }

  @Override
  public List<SeriesState> states(Collection<String> tasks) {
    return faults.call("states", () -> ledger.states(tasks));
  }

  @Override
  public List<TickClaimReply> claim(List<TickClaim> requests) {
    return faults.call("claim", () -> ledger.claim(requests));
  }

  @Override
  public List<TickClaimReply> take(List<TickTake> requests) {
    return faults.call("take", () -> ledger.take(requests));
  }

  @Override
  public List<TickClaimReply> account(List<TickAccount> requests) {
    return faults.call("account", () -> ledger.account(requests));
  }

  @Override
  public List<TickReportReply> report(List<TickReport> requests) {
    return faults.call("finish", () -> ledger.report(requests));
  }

  @Override
  public SeriesState pause(String task, SeriesPause pause) {
    return faults.call("pause", () -> ledger.pause(task, pause));
  }

  @Override
  public Optional<SeriesState> resume(SeriesState seen, List<TickRecord.Range> gaps) {
    return faults.call("resume", () -> ledger.resume(seen, gaps));
  }

  @Override
  public boolean trigger(TickId tick) {
    return faults.call("trigger", () -> ledger.trigger(tick));
  }

  @Override
  public TickRescue rescue(MemberId replica, Collection<String> tasks) {
    return faults.call("rescue", () -> ledger.rescue(replica, tasks));
  }

  @Override
  public void onWaiting(Runnable listener) {
    ledger.onWaiting(faults.listener(listener));
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return faults.call("history", () -> ledger.history(task, limit));
  }
}
