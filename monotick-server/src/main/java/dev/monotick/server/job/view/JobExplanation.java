package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.server.job.approval.ApprovalRules;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.job.kind.JobKinds;
import dev.monotick.server.remote.RemoteWorkView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Says why a job is where it is: the one thing that keeps it there, in words and in facts. */
@Component
class JobExplanation {

  private static final int MOST_NAMED = 20;

  private final Jobs jobs;
  private final JobPosition place;
  private final Approvals approvals;
  private final JobKinds kinds;
  private final RemoteWorkView remote;

  /**
   * Why.
   *
   * @param state where it is
   * @param because what keeps it there, as a word that never changes
   * @param sentence the same for people
   * @param facts what is known of it
   */
  record Answer(JobState state, String because, String sentence, Map<String, Object> facts) {}

  JobExplanation(
      Jobs jobs, JobPosition place, Approvals approvals, JobKinds kinds, RemoteWorkView remote) {
    this.jobs = jobs;
    this.place = place;
    this.approvals = approvals;
    this.kinds = kinds;
    this.remote = remote;
  }

  Answer answer(Job job) {
    return switch (job.state()) {
      case RUNNING -> running(job);
      case AWAITING_APPROVAL -> approval(job);
      case SCHEDULED, RETRYING -> waiting(job);
      case READY -> ready(job);
      case SUCCEEDED, DEAD, CANCELLED, REJECTED, EXPIRED, UNKNOWN -> ended(job);
    };
  }

  private static Answer running(Job job) {
    Map<String, Object> facts = new LinkedHashMap<>();
    String on =
        job.run()
            .map(
                run -> {
                  facts.put("replica", run.replica());
                  facts.put("since", run.claimedAt().toString());
                  facts.put("run", run.number());
                  return "running on " + run.replica() + " since " + run.claimedAt();
                })
            .orElse("running");
    return new Answer(job.state(), "RUNNING", on, facts);
  }

  private static Answer ended(Job job) {
    Map<String, Object> facts = new LinkedHashMap<>();
    String how = "ended " + job.state();
    if (!job.attempts().isEmpty()) {
      Job.Attempt last = job.attempts().get(job.attempts().size() - 1);
      facts.put("endedAt", last.endedAt().toString());
      facts.put("outcome", last.outcome().name());
      how = how + " at " + last.endedAt();
      if (last.detail().isPresent()) {
        facts.put("detail", last.detail().get());
        how = how + ": " + last.detail().get();
      }
    }
    return new Answer(job.state(), "ENDED", how, facts);
  }

  private Answer approval(Job job) {
    Map<String, Object> facts = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder("waiting for approval");
    Optional<Instant> asked = place.askedAt(job.id());
    asked.ifPresent(
        since -> {
          facts.put("since", since.toString());
          text.append(" since ").append(since);
          job.rules()
              .approval()
              .ifPresent(
                  within -> {
                    facts.put("expiresAt", since.plus(within).toString());
                    text.append("; expires at ").append(since.plus(within));
                  });
        });
    Optional.ofNullable(JobViews.createdBy(job)).ifPresent(by -> facts.put("notBy", by));
    ApprovalRules.of(job).ifPresent(rules -> deciders(job, rules, asked, facts));
    place.pending(job.id()).ifPresent(many -> facts.put("pendingJobs", many));
    int needed = Approvals.needed(job);
    if (needed > 1) {
      List<String> given = approvals.given(job);
      facts.put("approvalsNeeded", needed);
      facts.put("approvedBy", given);
      text.append("; ").append(given.size()).append(" of ").append(needed).append(" have approved");
    }
    return new Answer(job.state(), "APPROVAL", text.toString(), facts);
  }

  private void deciders(
      Job job, ApprovalRules rules, Optional<Instant> asked, Map<String, Object> facts) {
    boolean escalated = approvals.isEscalated(job);
    facts.put("approvers", rules.deciders(escalated));
    if (rules.escalation().isPresent()) {
      facts.put("escalated", escalated);
      asked.ifPresent(
          since -> facts.put("escalatesAt", since.plus(rules.escalation().get()).toString()));
    }
  }

  private Answer waiting(Job job) {
    Map<String, Object> facts = new LinkedHashMap<>();
    Optional<Integer> pending = place.pending(job.id());
    if (pending.isPresent()) {
      List<String> after = place.comesAfter(job.id(), MOST_NAMED);
      facts.put("pendingJobs", pending.get());
      facts.put("comesAfter", after);
      return new Answer(
          job.state(),
          "OTHER_JOBS",
          "waiting for " + pending.get() + " jobs that come before it, of " + after,
          facts);
    }
    Optional<RemoteWorkView.Seen> elsewhere =
        remote.of(job.id()).filter(RemoteWorkView.Seen::isOpen);
    if (elsewhere.isPresent()) {
      return elsewhere(job, elsewhere.get());
    }
    String due = job.dueAt().map(Instant::toString).orElse("a time that just came");
    facts.put("dueAt", due);
    if (job.state() == JobState.RETRYING && !job.attempts().isEmpty()) {
      Job.Attempt last = job.attempts().get(job.attempts().size() - 1);
      facts.put("attempts", last.attempt());
      facts.put("maxAttempts", job.rules().maxAttempts());
      last.detail().ifPresent(detail -> facts.put("lastError", detail));
      return new Answer(
          job.state(),
          "RETRY",
          "attempt " + last.attempt() + " failed; the next one begins at " + due,
          facts);
    }
    return new Answer(job.state(), "TIME", "waiting for its time, " + due, facts);
  }

  /** Its work goes on at an agent or a called service, and the job sleeps meanwhile. */
  private static Answer elsewhere(Job job, RemoteWorkView.Seen work) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("remoteWork", work.id());
    facts.put("attempt", work.attempt());
    facts.put("until", work.dueAt().toString());
    work.progress().ifPresent(progress -> facts.put("progress", progress));
    work.doing().ifPresent(doing -> facts.put("doing", doing));
    if (work.kind().equals("CALLBACK")) {
      return new Answer(
          job.state(),
          "CALLBACK",
          "waiting for the called service to call back, until " + work.dueAt(),
          facts);
    }
    if (work.state().equals("LEASED")) {
      String agent = work.agent().orElse("?");
      String until = work.leaseUntil().map(Instant::toString).orElse("?");
      facts.put("agent", agent);
      facts.put("leaseUntil", until);
      return new Answer(
          job.state(),
          "AGENT",
          "agent " + agent + " has it until " + until + ", unless it says more",
          facts);
    }
    work.wantedAgent().ifPresent(agent -> facts.put("wantedAgent", agent));
    facts.put("losses", work.losses());
    return new Answer(
        job.state(),
        "AGENT_WANTED",
        "waiting for "
            + work.wantedAgent().map(agent -> "agent " + agent).orElse("an agent")
            + " to take it, until "
            + work.dueAt(),
        facts);
  }

  private Answer ready(Job job) {
    Optional<JobPause> pause =
        jobs.pauses().stream()
            .filter(
                each ->
                    each.name()
                        .equals(
                            each.of() == JobPause.Of.QUEUE
                                ? job.lane().queue()
                                : job.lane().kind()))
            .findFirst();
    if (pause.isPresent()) {
      return paused(job, pause.get());
    }
    if (!kinds.isHandled(job.lane().kind())) {
      return new Answer(
          job.state(),
          "NO_REPLICA",
          "no replica of this version runs jobs of kind " + job.lane().kind(),
          Map.of("kind", job.lane().kind(), "known", kinds.handled()));
    }
    return inLine(job);
  }

  private static Answer paused(Job job, JobPause pause) {
    String what = pause.of() == JobPause.Of.QUEUE ? "queue" : "kind";
    return new Answer(
        job.state(),
        "PAUSED",
        what
            + " "
            + pause.name()
            + " is paused since "
            + pause.since()
            + " by "
            + pause.by()
            + (pause.note().isEmpty() ? "" : ": " + pause.note()),
        Map.of(
            "paused", what,
            "name", pause.name(),
            "by", pause.by(),
            "note", pause.note(),
            "since", pause.since().toString()));
  }

  private Answer inLine(Job job) {
    Map<String, Object> facts = new LinkedHashMap<>();
    long ahead = place.ahead(job);
    double share = Math.round(place.share(job) * 10) / 10.0;
    List<JobPosition.Use> limits = place.limits(job);
    facts.put("ahead", ahead);
    facts.put("sharePercent", share);
    facts.put("replicas", place.replicas());
    facts.put("limits", limits.stream().map(JobPosition::shown).toList());
    Optional<JobPosition.Use> full = limits.stream().filter(JobPosition.Use::isFull).findFirst();
    if (full.isPresent() || place.isBlocked(job.id())) {
      String limit = full.map(JobPosition.Use::words).orElse("a run of its key must end first");
      return new Answer(
          job.state(),
          "LIMIT",
          "waiting for a limit: " + limit + "; " + ahead + " ahead of it",
          facts);
    }
    return new Answer(
        job.state(),
        "IN_LINE",
        "waiting for a free replica: "
            + ahead
            + " ahead of it in its line; tenant "
            + job.lane().tenant()
            + " has a share of "
            + share
            + " % of queue "
            + job.lane().queue(),
        facts);
  }
}
