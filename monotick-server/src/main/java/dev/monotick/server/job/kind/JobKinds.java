package dev.monotick.server.job.kind;

import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** The kinds of jobs there are: those that replicas of this version run, and those seen before. */
@Component
public class JobKinds {

  private final Sql sql;
  private final Set<String> handled;

  JobKinds(Sql sql, List<JobHandling<?>> handlings) {
    this.sql = sql;
    this.handled = handlings.stream().map(each -> each.kind().name()).collect(Collectors.toSet());
  }

  /** Says whether replicas of this version run jobs of a kind. */
  public boolean isHandled(String kind) {
    return handled.contains(kind);
  }

  /** Returns those that replicas of this version run. */
  public Set<String> handled() {
    return new TreeSet<>(handled);
  }

  /** Returns those a tenant has or had jobs of, or anybody. */
  public Set<String> seen(Optional<String> tenant) {
    return new TreeSet<>(
        sql.of(
                """
                select distinct kind from @@job_lane
                 where tenant = coalesce(cast(:tenant as text), tenant)
                """)
            .param("tenant", tenant.orElse(null))
            .query((row, number) -> row.getString(1))
            .list());
  }

  /** Refuses what nobody runs and nobody has added: likely it is misspelt. */
  public void requireKnown(String field, String kind) {
    if (!isHandled(kind) && !seen(Optional.empty()).contains(kind)) {
      throw Problem.invalid(
          field, "there is no kind " + kind + "; there are " + String.join(", ", handled()));
    }
  }
}
