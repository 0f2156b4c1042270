package dev.monotick.server.job.approval;

import dev.monotick.server.access.Caller;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * That a job waits for approval. Whoever decides is named {@code key/ID}, {@code user/SUBJECT} or
 * {@code role/ROLE}.
 *
 * @param within how long; then it expires
 * @param approvals how many must approve, 1 to 10; one if not given
 * @param approvers who may decide; any operator if not given
 * @param substitute who may decide in their place
 * @param escalation when others may decide too
 */
public record NewApproval(
    @Nullable String within,
    @Nullable Integer approvals,
    @Nullable List<String> approvers,
    @Nullable String substitute,
    @Nullable Escalation escalation) {

  private static final String FIELD = "approval.approvers";
  private static final int MOST = 10;
  private static final int LONGEST = 100;

  /**
   * When others may decide too.
   *
   * @param after how long nobody has decided
   * @param to those others
   */
  record Escalation(@Nullable String after, @Nullable List<String> to) {}

  /** Returns how long it waits before it expires. */
  public Duration longest() {
    return RequestFields.duration(
        "approval.within", RequestFields.required("approval.within", within));
  }

  /** Returns how many must approve, if that was said. */
  public Optional<Integer> needed() {
    return approvals == null
        ? Optional.empty()
        : Optional.of(RequestFields.number("approval.approvals", approvals, 1, 1, Approvals.MOST));
  }

  /** Returns who decides; empty if any operator may. Refuses what cannot be. */
  public Optional<ApprovalRules> rules(Caller caller) {
    if (approvers == null) {
      if (substitute != null || escalation != null) {
        throw Problem.invalid(
            FIELD, FIELD + " is missing: a substitute and an escalation are for named approvers");
      }
      return Optional.empty();
    }
    String other = substitute;
    ApprovalRules rules =
        new ApprovalRules(
            names(FIELD, approvers, caller),
            other == null ? null : name("approval.substitute", other, caller),
            escalation == null ? null : after(escalation).toString(),
            escalation == null
                ? List.of()
                : names(
                    "approval.escalation.to",
                    RequestFields.required("approval.escalation.to", escalation.to()),
                    caller));
    requireEnough(rules);
    return Optional.of(rules);
  }

  private Duration after(Escalation given) {
    String field = "approval.escalation.after";
    Duration after = RequestFields.duration(field, RequestFields.required(field, given.after()));
    if (after.isNegative() || after.isZero() || after.compareTo(longest()) >= 0) {
      throw Problem.invalid(
          field, field + " must be more than PT0S and less than approval.within, but was " + after);
    }
    return after;
  }

  private static List<String> names(String field, List<String> given, Caller caller) {
    if (given.isEmpty() || given.size() > MOST) {
      throw Problem.invalid(field, field + " must be 1 to " + MOST + ", but are " + given.size());
    }
    return given.stream().map(each -> name(field, each, caller)).distinct().toList();
  }

  private static String name(String field, @Nullable String given, Caller caller) {
    if (given == null
        || given.length() > LONGEST
        || !given.matches("key/[A-Za-z0-9]+|user/[^\\p{Cntrl}]+|role/(ADMIN|OPERATOR)")) {
      throw Problem.invalid(
          field,
          field
              + " must be key/ID, user/SUBJECT, role/ADMIN or role/OPERATOR, but was \""
              + (given == null ? "" : given.substring(0, Math.min(LONGEST, given.length())))
              + "\"");
    }
    if (given.equals(caller.reference())) {
      throw Problem.invalid(
          field, field + " includes the creator of the job, who may not approve it");
    }
    return given;
  }

  /** A role may be many; those who are named are as many as there are. */
  private void requireEnough(ApprovalRules rules) {
    List<String> all = rules.deciders(true);
    int needed = needed().orElse(1);
    if (all.stream().noneMatch(each -> each.startsWith("role/")) && all.size() < needed) {
      throw Problem.invalid(
          FIELD,
          FIELD + " are " + all.size() + " with all others, but " + needed + " must approve");
    }
  }
}
