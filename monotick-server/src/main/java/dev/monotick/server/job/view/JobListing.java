package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.Page;
import dev.monotick.spi.job.JobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Lists a tenant's jobs, youngest first. Where those of some states are, the engine knows; for all
 * others our index by lane says which are next, and the engine what became of these.
 */
@Component
public class JobListing {

  private static final int PIECE = 500;

  /** After so many that did not match, the page ends early; what to read on after is said. */
  private static final int MOST_SEEN = 5_000;

  private final JobStore jobs;
  private final Sql sql;

  /** What was found, and the number to go on below; empty at the end. */
  public record Found(List<Job> jobs, Optional<Long> next) {}

  /** Some jobs that may match, and the least number that was looked at; empty at the end. */
  private record Piece(List<Job> jobs, Optional<Long> least) {}

  JobListing(PostgresStore store, Sql sql) {
    this.jobs = store.jobs();
    this.sql = sql;
  }

  public Page<JobView> page(String tenant, JobQuery query, @Nullable String after, int limit) {
    long before =
        after == null
            ? Long.MAX_VALUE
            : RequestFields.checked("after", () -> JobId.parse(after)).value();
    Found found = find(tenant, query, before, limit);
    return new Page<>(
        found.jobs().stream().map(JobViews::brief).toList(), found.next().map(String::valueOf));
  }

  public Found find(String tenant, JobQuery query, long before, int limit) {
    Optional<JobState> state = query.stateWanted();
    Optional<JobId> parent = query.parentWanted();
    // Those that ended well the engine has in no place of their own.
    boolean everywhere = state.isEmpty() || state.get() == JobState.SUCCEEDED;
    boolean all = state.isEmpty() && parent.isEmpty() && query.search() == null;
    int piece = all ? Math.min(PIECE, limit + 1) : Math.min(PIECE, Math.max(limit + 1, 100));
    long least = query.least();
    long below = Math.min(before, query.below());
    List<Job> found = new ArrayList<>();
    for (int seen = 0; seen < MOST_SEEN && below > least; seen += piece) {
      Piece some =
          everywhere ? next(tenant, query, below, piece) : in(tenant, query, state, below, piece);
      for (Job job : some.jobs()) {
        if (job.id().value() < least) {
          return new Found(found, Optional.empty());
        }
        if (matches(job, query, state, parent)) {
          if (found.size() == limit) {
            return new Found(found, Optional.of(found.get(limit - 1).id().value()));
          }
          found.add(job);
        }
      }
      if (some.least().isEmpty()) {
        return new Found(found, Optional.empty());
      }
      below = some.least().get();
    }
    return new Found(found, below > least ? Optional.of(below) : Optional.empty());
  }

  private Piece in(String tenant, JobQuery query, Optional<JobState> state, long below, int piece) {
    List<Job> some =
        jobs.list(
            new JobFilter(
                state,
                Optional.ofNullable(query.queue()),
                Optional.ofNullable(query.kind()),
                Optional.of(tenant),
                below <= 0 || below == Long.MAX_VALUE
                    ? Optional.empty()
                    : Optional.of(new JobId(below))),
            piece);
    return new Piece(
        some,
        some.size() < piece
            ? Optional.empty()
            : Optional.of(some.get(some.size() - 1).id().value()));
  }

  /** Those found nowhere are about to be forgotten. */
  private Piece next(String tenant, JobQuery query, long below, int piece) {
    List<JobId> ids = numbers(tenant, query, below, piece);
    return new Piece(
        jobs.list(ids),
        ids.size() < piece ? Optional.empty() : Optional.of(ids.get(ids.size() - 1).value()));
  }

  private List<JobId> numbers(String tenant, JobQuery query, long below, int most) {
    return sql.of(
            """
            select j.id
              from @@job_lane l
             cross join lateral (
               select id from @@job where lane = l.id and id < :below
                order by id desc limit :most) j
             where l.tenant = :tenant and l.queue = coalesce(:queue, l.queue)
               and l.kind = coalesce(:kind, l.kind)
             order by j.id desc limit :most
            """)
        .param("below", below)
        .param("most", most)
        .param("tenant", tenant)
        .param("queue", query.queue(), java.sql.Types.VARCHAR)
        .param("kind", query.kind(), java.sql.Types.VARCHAR)
        .query((row, number) -> new JobId(row.getLong(1)))
        .list();
  }

  private static boolean matches(
      Job job, JobQuery query, Optional<JobState> state, Optional<JobId> parent) {
    return (state.isEmpty() || job.state() == state.get())
        && (parent.isEmpty() || parent.equals(job.parent()))
        && (query.search() == null || mentions(job, query.search()));
  }

  private static boolean mentions(Job job, String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Stream.of(
            Optional.of(job.id().toString()),
            Optional.of(job.lane().kind()),
            Optional.of(job.lane().queue()),
            job.uniqueKey(),
            job.limitKey(),
            Optional.ofNullable(JobViews.createdBy(job)))
        .flatMap(Optional::stream)
        .anyMatch(each -> each.toLowerCase(Locale.ROOT).contains(wanted));
  }
}
