package dev.monotick.memory;

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
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A ledger seen through a link. What needs no exchange with the store never fails. */
final class LinkedLedger implements Ledger {

  private final Ledger ledger;
  private final LinkGate gate;

  LinkedLedger(Ledger ledger, LinkGate gate) {
    this.ledger = ledger;
    this.gate = gate;
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
  public Fence mintFence(String group, ReplicaId holder) {
    return gate.call("mintFence", () -> ledger.mintFence(group, holder));
  }

  @Override
  public List<TaskState> register(List<TaskRegistration> registrations) {
    return gate.call("register", () -> ledger.register(registrations));
  }

  @Override
  public List<TaskState> states(Collection<String> tasks) {
    return gate.call("states", () -> ledger.states(tasks));
  }

  @Override
  public List<ClaimReply> claim(List<ClaimRequest> requests) {
    return gate.call("claim", () -> ledger.claim(requests));
  }

  @Override
  public List<ClaimReply> take(List<TakeRequest> requests) {
    return gate.call("take", () -> ledger.take(requests));
  }

  @Override
  public List<ClaimReply> account(List<AccountRequest> requests) {
    return gate.call("account", () -> ledger.account(requests));
  }

  @Override
  public List<FinishReply> finish(List<FinishRequest> requests) {
    return gate.call("finish", () -> ledger.finish(requests));
  }

  @Override
  public TaskState pause(String task, Pause pause) {
    return gate.call("pause", () -> ledger.pause(task, pause));
  }

  @Override
  public Optional<TaskState> resume(TaskState seen, List<Gap> gaps) {
    return gate.call("resume", () -> ledger.resume(seen, gaps));
  }

  @Override
  public boolean trigger(TickId tick) {
    return gate.call("trigger", () -> ledger.trigger(tick));
  }

  @Override
  public Rescue rescue(ReplicaId replica, Collection<String> tasks) {
    return gate.call("rescue", () -> ledger.rescue(replica, tasks));
  }

  @Override
  public void whenWaiting(Runnable listener) {
    ledger.whenWaiting(gate.listener(listener));
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    return gate.call("history", () -> ledger.history(task, limit));
  }
}
