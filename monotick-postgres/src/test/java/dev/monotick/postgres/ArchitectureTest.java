package dev.monotick.postgres;

import dev.monotick.checks.ArchitectureRules;
import java.util.Set;

class ArchitectureTest extends ArchitectureRules {

  @Override
  protected Set<String> placesForThreads() {
    return Set.of(
        "dev.monotick.postgres.ConnectionBudget", // a pool that is exhausted may block for ever
        "dev.monotick.postgres.Upkeep", // hourly, whether or not an engine runs
        "dev.monotick.postgres.job.lane.ScanUpkeep", // looks for what claims pass over, apart from
        // them
        "dev.monotick.postgres.job.notify.JobNotifier", // sends notices apart from whoever adds
        // jobs
        "dev.monotick.postgres.notify.NotificationThread", // waits in a socket for notices
        "dev.monotick.postgres.TestServer"); // stops the servers when the JVM ends
  }

  @Override
  protected Set<String> placesForSleepInTests() {
    return Set.of("dev.monotick.postgres.ServerTime");
  }
}
