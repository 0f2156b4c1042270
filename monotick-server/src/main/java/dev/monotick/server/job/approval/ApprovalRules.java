package dev.monotick.server.job.approval;

import dev.monotick.job.Job;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.Role;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Who decides about a job that awaits approval: each is {@code key/ID}, {@code user/SUBJECT} or
 * {@code role/ROLE}. It travels with the job, so nobody changes it later.
 *
 * @param approvers who may decide from the start
 * @param substitute who may decide in their place; null for nobody
 * @param after how long it waits before others may decide too; null for ever
 * @param to those others
 */
public record ApprovalRules(
    List<String> approvers, @Nullable String substitute, @Nullable String after, List<String> to) {

  /** The header that carries them. */
  public static final String HEADER = "approval-rules";

  private static final JsonMapper JSON = new JsonMapper();

  /** Returns what was said of a job; empty if any operator may decide. */
  public static Optional<ApprovalRules> of(Job job) {
    return Optional.ofNullable(job.headers().get(HEADER)).map(ApprovalRules::parse);
  }

  public static ApprovalRules parse(String text) {
    return JSON.readValue(text, ApprovalRules.class);
  }

  public String text() {
    return JSON.writeValueAsString(this);
  }

  /** Returns how long it waits before others may decide too. */
  public Optional<Duration> escalation() {
    return Optional.ofNullable(after).map(Duration::parse);
  }

  /** Returns all who may decide, now or when it was escalated. */
  public List<String> deciders(boolean escalated) {
    return Stream.of(
            approvers, Stream.ofNullable(substitute).toList(), escalated ? to : List.<String>of())
        .flatMap(List::stream)
        .distinct()
        .toList();
  }

  boolean allows(Caller caller, boolean escalated) {
    return deciders(escalated).stream().anyMatch(each -> isMeant(caller, each));
  }

  private static boolean isMeant(Caller caller, String who) {
    return who.startsWith("role/")
        ? caller.role().covers(Role.valueOf(who.substring("role/".length())))
        : who.equals(caller.reference());
  }
}
