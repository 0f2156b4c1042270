package dev.monotick.postgres.difference;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.testkit.contract.StoreExchange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says what a store answered, in words that name no id. Not compared is what the interface calls a
 * hint: whether there is more, and when something is due next.
 */
final class Answers {

  private static final JobFilter ALL =
      new JobFilter(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private Answers() {}

  /**
   * In the order of each lane; which lane comes first is a matter of shares.
   *
   * @param isFirst false for a turn that was sent before: claims do not record since when their
   *     jobs were ready, so the database answers with the time of the repetition
   */
  static String of(Side side, StoreExchange.Reply reply, List<Boolean> finished, boolean isFirst) {
    List<ClaimedJob> jobs = new ArrayList<>(reply.jobs());
    jobs.sort(Comparator.comparing(job -> job.lane().toString()));
    return "finished="
        + finished
        + " used="
        + reply.used()
        + " jobs="
        + jobs.stream()
            .map(job -> of(side, job) + (isFirst ? " since " + job.readyAt() : ""))
            .toList();
  }

  /**
   * Returns which reports count. The database says of jobs that it has dropped that no report of
   * them counts, and the store in memory, which has not, is not asked.
   */
  static List<Boolean> finished(Side side, StoreExchange.Reply reply, List<Report> reports) {
    List<Boolean> finished = new ArrayList<>();
    int next = 0;
    for (Report report : reports) {
      if (report.finish(side) != null) {
        finished.add(reply.finished().get(next++));
      } else if (side.hasDropped(report.label())) {
        finished.add(false);
      }
    }
    return finished;
  }

  private static String of(Side side, ClaimedJob job) {
    byte[] payload = job.payload();
    return side.label(job.id())
        + " of "
        + Side.name(job.owner())
        + " run "
        + job.run().number()
        + " attempt "
        + job.run().attempt()
        + " crashes "
        + job.crashes()
        + " "
        + job.lane()
        + " v"
        + job.version()
        + " "
        + (payload == null ? "" : new String(payload, UTF_8))
        + " "
        + job.rules()
        + " "
        + job.limitKey()
        + " "
        + job.headers();
  }

  /** Returns what lists and counts show. */
  static List<String> overview(Side side) {
    List<String> lines = new ArrayList<>();
    lines.add("live " + side.live());
    side.jobs().list(ALL, Step.Turn.ALL).stream()
        .filter(job -> !side.hasDropped(side.label(job.id())))
        .forEach(job -> lines.add(of(side, job)));
    side.jobs().counts().stream()
        .filter(Answers::counts)
        .map(JobCount::toString)
        .sorted()
        .forEach(lines::add);
    side.jobs().pauses().stream().map(Object::toString).sorted().forEach(lines::add);
    side.jobs().limits().stream().map(Object::toString).sorted().forEach(lines::add);
    return lines;
  }

  /** Returns what a list of jobs shows, in its order. */
  static String of(Side side, List<Job> jobs) {
    return jobs.stream().map(job -> of(side, job)).collect(Collectors.joining("\n    "));
  }

  /** A lane is known as soon as a job was wanted in it, in one store, or came to be, in another. */
  private static boolean counts(JobCount count) {
    return count.waiting() != 0
        || count.ready() != 0
        || count.running() != 0
        || count.succeeded() != 0
        || count.failed() != 0
        || count.dead() != 0
        || count.ended() != 0;
  }

  /** Returns all that is known of a job. */
  static String of(Side side, String label) {
    JobId id = side.id(label);
    if (id == null) {
      return label + " was not added";
    } else if (side.hasDropped(label)) {
      return label + " is forgotten[]";
    }
    return side.jobs().find(id).map(job -> of(side, job)).orElse(label + " is forgotten")
        + side.jobs().log(id, Step.Turn.ALL);
  }

  private static String of(Side side, Job job) {
    String attempts =
        job.attempts().stream()
            .map(Job.Attempt::toString)
            .map(side::withLabels)
            .collect(Collectors.joining("\n      ", "\n      ", ""));
    return side.label(job.id())
        + " "
        + job.state()
        + " "
        + job.lane()
        + " v"
        + job.version()
        + " payload="
        + new String(job.payload(), UTF_8)
        + " "
        + job.rules()
        + " created "
        + job.createdAt()
        + " due "
        + job.dueAt()
        + " unique="
        + job.uniqueKey()
        + " limitKey="
        + job.limitKey()
        + " parent="
        + job.parent().map(side::label)
        + " "
        + job.headers()
        + " "
        + job.run()
        + " result="
        + job.result().map(bytes -> new String(bytes, UTF_8))
        + (job.attempts().isEmpty() ? "" : attempts);
  }
}
