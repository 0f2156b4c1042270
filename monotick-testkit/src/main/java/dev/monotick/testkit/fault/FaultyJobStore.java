package dev.monotick.testkit.fault;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobSignals;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Jobs seen through a link. What needs no exchange with the store never fails. */
final class FaultyJobStore implements JobStore {

  private final JobStore jobs;
  private final FaultInjector faults;

  FaultyJobStore(JobStore jobs, FaultInjector gate) {
    this.jobs = jobs;
    this.faults = gate;
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
  public List<Enqueued> enqueue(EnqueueRequest order) {
    return faults.call("enqueue", () -> jobs.enqueue(order));
  }

  @Override
  public void notifyWorkers(Collection<String> queues) {
    faults.deliver(() -> jobs.notifyWorkers(queues));
  }

  @Override
  public void onReady(JobSignals listener) {
    Consumer<Set<String>> gated = faults.listener(listener::ready);
    jobs.onReady(gated::accept);
  }

  @Override
  public void onEnded(Consumer<Set<JobId>> listener) {
    jobs.onEnded(faults.listener(listener));
  }

  @Override
  public ClaimReply claim(ClaimRequest request) {
    return faults.call("claim", () -> jobs.claim(request));
  }

  @Override
  public List<Boolean> complete(List<Completion> completions) {
    return faults.call("complete", () -> jobs.complete(completions));
  }

  @Override
  public ExchangeReply exchange(ExchangeRequest request) {
    return faults.call("exchange", () -> jobs.exchange(request));
  }

  @Override
  public Set<JobRun> start(MemberId replica, List<JobRun> runs, Instant at) {
    return faults.call("start", () -> jobs.start(replica, runs, at));
  }

  @Override
  public Set<JobRun> note(MemberId replica, List<RunProgress> notes) {
    return faults.call("note", () -> jobs.note(replica, notes));
  }

  @Override
  public int rescue() {
    return faults.call("rescue", jobs::rescue);
  }

  @Override
  public boolean cancel(JobId id, String by, String reason) {
    return faults.call("cancel", () -> jobs.cancel(id, by, reason));
  }

  @Override
  public boolean approve(JobId id, String by, String note) {
    return faults.call("approve", () -> jobs.approve(id, by, note));
  }

  @Override
  public boolean reject(JobId id, String by, String note) {
    return faults.call("reject", () -> jobs.reject(id, by, note));
  }

  @Override
  public boolean reschedule(JobId id, Instant at) {
    return faults.call("reschedule", () -> jobs.reschedule(id, at));
  }

  @Override
  public List<JobId> requeue(List<JobId> ids, String by) {
    return faults.call("requeue", () -> jobs.requeue(ids, by));
  }

  @Override
  public List<JobId> purge(List<JobId> ids) {
    return faults.call("purge", () -> jobs.purge(ids));
  }

  @Override
  public Optional<Job> find(JobId id) {
    return faults.call("find", () -> jobs.find(id));
  }

  @Override
  public List<Job.LogLine> log(JobId id, int limit) {
    return faults.call("log", () -> jobs.log(id, limit));
  }

  @Override
  public List<Job> list(JobFilter filter, int limit) {
    return faults.call("list", () -> jobs.list(filter, limit));
  }

  @Override
  public List<Job> list(List<JobId> ids) {
    return faults.call("list", () -> jobs.list(ids));
  }

  @Override
  public List<JobCount> counts() {
    return faults.call("counts", jobs::counts);
  }

  @Override
  public void pause(JobPause pause) {
    faults.run("pause", () -> jobs.pause(pause));
  }

  @Override
  public boolean resume(JobPause.Of of, String name) {
    return faults.call("resume", () -> jobs.resume(of, name));
  }

  @Override
  public List<JobPause> pauses() {
    return faults.call("pauses", jobs::pauses);
  }

  @Override
  public void limit(JobLimit limit) {
    faults.run("limit", () -> jobs.limit(limit));
  }

  @Override
  public boolean removeLimit(JobLimit.Scope scope) {
    return faults.call("unlimit", () -> jobs.removeLimit(scope));
  }

  @Override
  public List<JobLimit> limits() {
    return faults.call("limits", jobs::limits);
  }

  @Override
  public void setTenantWeight(String tenant, int weight) {
    faults.run("weigh", () -> jobs.setTenantWeight(tenant, weight));
  }
}
