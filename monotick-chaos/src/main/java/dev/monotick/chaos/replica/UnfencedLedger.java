package dev.monotick.chaos.replica;

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
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A ledger that asks nobody for a proof of leadership. */
final class UnfencedLedger implements TickLedger {

  private final TickLedger ledger;

  UnfencedLedger(TickLedger ledger) {
    this.ledger = ledger;
  }

  @Override
  public Instant now() {
    return ledger.now();
  }

  @Override
  public boolean isImmediate() {
    return ledger.isImmediate();
  }

  /** All, for the jobs' sake, which are kept as ever; no task makes use of more than it has. */
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
    return ledger.register(registrations);
  }

  @Override
  public List<SeriesState> states(Collection<String> tasks) {
    return ledger.states(tasks);
  }

  @Override
  public List<TickClaimReply> claim(List<TickClaim> requests) {
    return ledger.claim(
        requests.stream()
            .map(
                asked ->
                    new TickClaim(
                        asked.claim(),
                        asked.tick(),
                        asked.seen(),
                        asked.ranges(),
                        asked.onOverlap(),
                        asked.effect(),
                        null))
            .toList());
  }

  @Override
  public List<TickClaimReply> take(List<TickTake> requests) {
    return ledger.take(
        requests.stream()
            .map(
                asked ->
                    new TickTake(
                        asked.claim(),
                        asked.tick(),
                        asked.onOverlap(),
                        asked.effect(),
                        null,
                        asked.passedOver()))
            .toList());
  }

  @Override
  public List<TickClaimReply> account(List<TickAccount> requests) {
    return ledger.account(
        requests.stream()
            .map(asked -> new TickAccount(asked.seen(), asked.ranges(), null))
            .toList());
  }

  @Override
  public List<TickReportReply> report(List<TickReport> requests) {
    return ledger.report(requests);
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
    return ledger.rescue(replica, tasks);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return ledger.history(task, limit);
  }
}
