package dev.monotick.memory;

import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Records what replicas say of runs that have not ended. Guarded by the store's lock. */
final class RunTable {

  private final JobTable table;

  RunTable(JobTable table) {
    this.table = table;
  }

  /** Records starts, and returns the runs that may begin. */
  Set<JobRun> start(MemberId replica, List<JobRun> runs, Instant at) {
    Set<JobRun> begin = new HashSet<>();
    for (JobRun run : runs) {
      claim(replica, run)
          .ifPresent(
              claim -> {
                claim.startedAt = at;
                claim.progress = null;
                claim.doing = null;
                begin.add(run);
              });
    }
    return begin;
  }

  /** Records notes, and returns the runs that have ended. */
  Set<JobRun> note(MemberId replica, List<RunProgress> notes) {
    Set<JobRun> lost = new HashSet<>();
    for (RunProgress note : notes) {
      Optional<MemoryJob> row = table.find(note.run().id());
      Optional<MemoryJob.Claim> claim = claim(replica, note.run());
      if (claim.isEmpty()) {
        lost.add(note.run());
        // Its last words, unless the job was given to another.
        row.filter(has -> has.endedByItself(replica, note.run()))
            .ifPresent(has -> has.addLines(note.lines()));
      } else {
        claim.get().startedAt = note.startedAt();
        claim.get().progress = note.progress();
        claim.get().doing = note.doing();
        row.ifPresent(has -> has.addLines(note.lines()));
      }
    }
    return lost;
  }

  private Optional<MemoryJob.Claim> claim(MemberId replica, JobRun run) {
    return table
        .find(run.id())
        .filter(row -> row.isRunBy(replica, run))
        .flatMap(row -> Optional.ofNullable(row.claim));
  }
}
