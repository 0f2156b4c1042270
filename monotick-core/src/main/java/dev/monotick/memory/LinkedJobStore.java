package dev.monotick.memory;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobCount;
import dev.monotick.job.store.JobFilter;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.replica.ReplicaId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Jobs seen through a link. What needs no exchange with the store never fails. */
final class LinkedJobStore implements JobStore {

  private final JobStore jobs;
  private final LinkGate gate;

  LinkedJobStore(JobStore jobs, LinkGate gate) {
    this.jobs = jobs;
    this.gate = gate;
  }

  @Override
  public Instant now() {
    return jobs.now();
  }

  @Override
  public Duration pollInterval() {
    return jobs.pollInterval();
  }

  @Override
  public List<Enqueued> enqueue(JobOrder order) {
    return gate.call("enqueue", () -> jobs.enqueue(order));
  }

  @Override
  public void wake(Collection<String> queues) {
    gate.hint(() -> jobs.wake(queues));
  }

  @Override
  public void membershipLost(ReplicaId replica) {
    jobs.membershipLost(replica);
  }

  @Override
  public void whenReady(ReadyListener listener) {
    Consumer<Set<String>> gated = gate.listener(listener::ready);
    jobs.whenReady(gated::accept);
  }

  @Override
  public void whenEnded(Consumer<Set<JobId>> listener) {
    jobs.whenEnded(gate.listener(listener));
  }

  @Override
  public JobTurnReply turn(JobTurn turn) {
    return gate.call("turn", () -> jobs.turn(turn));
  }

  @Override
  public Set<JobRun> start(ReplicaId replica, List<JobRun> runs, Instant at) {
    return gate.call("start", () -> jobs.start(replica, runs, at));
  }

  @Override
  public Set<JobRun> note(ReplicaId replica, List<JobNote> notes) {
    return gate.call("note", () -> jobs.note(replica, notes));
  }

  @Override
  public int rescue() {
    return gate.call("rescue", jobs::rescue);
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    return gate.call("cancel", () -> jobs.cancel(id, by, reason));
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    return gate.call("approve", () -> jobs.approve(id, by, note));
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return gate.call("reject", () -> jobs.reject(id, by, note));
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    return gate.call("reschedule", () -> jobs.reschedule(id, at));
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    return gate.call("requeue", () -> jobs.requeue(ids, by));
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    return gate.call("purge", () -> jobs.purge(ids));
  }

  @Override
  public Optional<Job> find(JobId id) {
    return gate.call("find", () -> jobs.find(id));
  }

  @Override
  public List<JobNote.Line> log(JobId id, int limit) {
    return gate.call("log", () -> jobs.log(id, limit));
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return gate.call("list", () -> jobs.list(filter, limit));
  }

  @Override
  public List<Job> list(List<JobId> ids) {
    return gate.call("list", () -> jobs.list(ids));
  }

  @Override
  public List<JobCount> counts() {
    return gate.call("counts", jobs::counts);
  }

  @Override
  public void pause(JobPause pause) {
    gate.run("pause", () -> jobs.pause(pause));
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    return gate.call("resume", () -> jobs.resume(of, name));
  }

  @Override
  public List<JobPause> pauses() {
    return gate.call("pauses", jobs::pauses);
  }

  @Override
  public void limit(JobLimit limit) {
    gate.run("limit", () -> jobs.limit(limit));
  }

  @Override
  public boolean unlimit(JobLimit.Scope scope) {
    return gate.call("unlimit", () -> jobs.unlimit(scope));
  }

  @Override
  public List<JobLimit> limits() {
    return gate.call("limits", jobs::limits);
  }

  @Override
  public void weigh(String tenant, int weight) {
    gate.run("weigh", () -> jobs.weigh(tenant, weight));
  }
}
