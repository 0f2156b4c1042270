package dev.monotick.server.job.control;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** How many jobs there are. */
@RestController
@RequiresRole(Role.VIEWER)
@Tag(name = "statistics")
class StatisticsController {

  private final JobStatistics statistics;

  /**
   * How many jobs there are.
   *
   * @param tenant whose; null for all
   * @param total all together
   * @param byQueue for each queue
   * @param byKind for each kind
   * @param byTenant for each tenant; only of all
   */
  record Statistics(
      @org.jspecify.annotations.Nullable String tenant,
      JobStatistics.Counts total,
      List<JobStatistics.Named> byQueue,
      List<JobStatistics.Named> byKind,
      List<JobStatistics.Named> byTenant) {}

  StatisticsController(JobStatistics statistics) {
    this.statistics = statistics;
  }

  @GetMapping("/v1/statistics")
  @Operation(summary = "Count jobs by state, queue and kind; all=true for all tenants")
  Statistics get(Caller caller, @RequestParam(defaultValue = "false") boolean all) {
    if (!all) {
      Optional<String> tenant = Optional.of(caller.tenant());
      return new Statistics(
          caller.tenant(),
          statistics.total(tenant),
          statistics.by(JobStatistics.By.QUEUE, tenant),
          statistics.by(JobStatistics.By.KIND, tenant),
          List.of());
    }
    if (caller.home().isPresent()) {
      throw Problem.forbidden("counts of all tenants need a key of the whole installation");
    }
    return new Statistics(
        null,
        statistics.total(Optional.empty()),
        statistics.by(JobStatistics.By.QUEUE, Optional.empty()),
        statistics.by(JobStatistics.By.KIND, Optional.empty()),
        statistics.by(JobStatistics.By.TENANT, Optional.empty()));
  }
}
