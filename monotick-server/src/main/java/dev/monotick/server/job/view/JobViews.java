package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.server.job.approval.ApprovalRules;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.job.intake.NewJob;
import dev.monotick.server.remote.RemoteWorkView;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/** Makes what REST shows of jobs. */
@Component
public class JobViews {

  private final JsonMapper json;
  private final RemoteWorkView remote;

  JobViews(JsonMapper json, RemoteWorkView remote) {
    this.json = json;
    this.remote = remote;
  }

  /** Changes whenever the job moves, or its time does. */
  public static long version(Job job) {
    long run = job.run().map(Job.Running::number).orElse(0);
    long ended = job.attempts().isEmpty() ? 0 : job.attempts().get(job.attempts().size() - 1).run();
    CRC32 rest = new CRC32();
    rest.update((job.state() + " " + job.dueAt()).getBytes(StandardCharsets.UTF_8));
    return (Math.max(run, ended) << 32) + rest.getValue();
  }

  static JobView brief(Job job) {
    return new JobView(
        job.id().toString(),
        job.lane().kind(),
        job.lane().queue(),
        job.lane().priority(),
        job.state(),
        job.createdAt(),
        createdBy(job),
        job.dueAt().orElse(null),
        job.uniqueKey().orElse(null),
        job.limitKey().orElse(null),
        job.parent().map(String::valueOf).orElse(null),
        job.run().map(JobViews::running).orElse(null));
  }

  public JobDetail whole(Job job) {
    return new JobDetail(
        brief(job),
        json(job.payload()),
        new JobDetail.Rules(
            job.rules().maxAttempts(),
            job.rules().timeout(),
            job.rules().deadline().orElse(null),
            job.rules().effect().name(),
            job.rules().approval().orElse(null)),
        headers(job),
        job.attempts().stream().map(JobViews::attempt).toList(),
        job.result().map(this::json).orElse(null),
        ended(job),
        begun(job) ? remote.of(job.id()).orElse(null) : null);
  }

  /** What was never claimed was never begun anywhere else. */
  private static boolean begun(Job job) {
    return job.run().isPresent() || !job.attempts().isEmpty();
  }

  private static java.time.@Nullable Instant ended(Job job) {
    return job.state().isTerminal() && !job.attempts().isEmpty()
        ? job.attempts().get(job.attempts().size() - 1).endedAt()
        : null;
  }

  public static @Nullable String createdBy(Job job) {
    return job.headers().get(NewJob.CREATED_BY);
  }

  private static Map<String, String> headers(Job job) {
    Map<String, String> headers = new java.util.TreeMap<>(job.headers());
    headers.remove(NewJob.CREATED_BY);
    headers.remove(Approvals.NEEDED);
    headers.remove(ApprovalRules.HEADER);
    return headers;
  }

  private static JobView.Running running(Job.Running run) {
    return new JobView.Running(
        run.number(),
        run.replica(),
        run.claimedAt(),
        run.startedAt().orElse(null),
        run.progress().orElse(null),
        run.doing().orElse(null));
  }

  private static JobDetail.Attempt attempt(Job.Attempt attempt) {
    return new JobDetail.Attempt(
        attempt.run(),
        attempt.attempt(),
        attempt.outcome().name(),
        attempt.replica().orElse(null),
        attempt.startedAt().orElse(null),
        attempt.endedAt(),
        attempt.took(),
        attempt.detail().orElse(null));
  }

  /** What is no JSON is shown as the text it is. */
  private JsonNode json(byte[] bytes) {
    try {
      return Optional.ofNullable(json.readTree(bytes)).orElse(json.nullNode());
    } catch (JacksonException e) {
      return StringNode.valueOf(new String(bytes, StandardCharsets.UTF_8));
    }
  }
}
