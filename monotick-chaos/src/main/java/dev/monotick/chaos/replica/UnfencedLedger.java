package dev.monotick.chaos.replica;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A ledger that asks nobody for a proof of leadership. */
final class UnfencedLedger implements Ledger {

  private final Ledger ledger;

  UnfencedLedger(Ledger ledger) {
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
  public Fence mintFence(String group, ReplicaId holder) {
    return ledger.mintFence(group, holder);
  }

  @Override
  public List<TaskState> register(List<TaskRegistration> registrations) {
    return ledger.register(registrations);
  }

  @Override
  public List<TaskState> states(Collection<String> tasks) {
    return ledger.states(tasks);
  }

  @Override
  public List<ClaimReply> claim(List<ClaimRequest> requests) {
    return ledger.claim(
        requests.stream()
            .map(
                asked ->
                    new ClaimRequest(
                        asked.claim(),
                        asked.tick(),
                        asked.seen(),
                        asked.gaps(),
                        asked.onOverlap(),
                        asked.effect(),
                        null))
            .toList());
  }

  @Override
  public List<ClaimReply> take(List<TakeRequest> requests) {
    return ledger.take(
        requests.stream()
            .map(
                asked ->
                    new TakeRequest(
                        asked.claim(),
                        asked.tick(),
                        asked.onOverlap(),
                        asked.effect(),
                        null,
                        asked.passedOver()))
            .toList());
  }

  @Override
  public List<ClaimReply> account(List<AccountRequest> requests) {
    return ledger.account(
        requests.stream()
            .map(asked -> new AccountRequest(asked.seen(), asked.gaps(), null))
            .toList());
  }

  @Override
  public List<FinishReply> finish(List<FinishRequest> requests) {
    return ledger.finish(requests);
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
    return ledger.rescue(replica, tasks);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return ledger.history(task, limit);
  }
}
