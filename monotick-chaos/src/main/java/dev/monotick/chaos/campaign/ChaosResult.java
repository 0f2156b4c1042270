package dev.monotick.chaos.campaign;

import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.report.Invariant;
import dev.monotick.chaos.sink.EffectVerdict;
import dev.monotick.chaos.storm.JobHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a run.
 *
 * @param settings what it was
 * @param facts what happened
 * @param findings what the check of ticks found
 * @param jobs what the check of jobs found
 * @param requests what people asked for meanwhile
 * @param violations what was promised and not kept, all of it
 */
public record ChaosResult(
    ChaosSettings settings,
    RunFacts facts,
    Findings findings,
    JobHistory.Result jobs,
    Requests requests,
    List<String> violations) {

  /** Tasks that are due each period, and whose ticks are all in the ledger. */
  private static final int TICKING = 8;

  private static final String NO_OUTCOME = "every tick has one outcome";

  /**
   * What people asked for.
   *
   * @param pauses how many pauses were held against the ledger
   * @param editions how many editions of the program ran
   * @param triggers how many ticks were asked for and promised
   */
  public record Requests(int pauses, int editions, int triggers) {}

  /** Returns the figures, by their names. */
  public Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("ticks", ticks());
    figures.put("jobs", jobs.jobs());
    figures.put("faults", (long) facts.struck());
    figures.put("takeovers", (long) facts.takeovers());
    figures.put("refused", findings.verdicts(EffectVerdict.STALE));
    figures.put("duplicates", findings.duplicates());
    figures.put("lost", lost());
    figures.put("effects", findings.verdicts(EffectVerdict.ACCEPTED));
    figures.put("repeated", findings.verdicts(EffectVerdict.REPEATED));
    figures.put("unknown", findings.outcomes("UNKNOWN"));
    figures.put("guards", findings.guards());
    figures.put("terms", (long) findings.terms());
    figures.put("excused_overlaps", (long) findings.excusedOverlaps());
    figures.put("long_pauses", (long) facts.longPauses());
    figures.put("commits_cut", (long) facts.commitsCut());
    figures.put("pauses", (long) requests.pauses());
    figures.put("triggers", (long) requests.triggers());
    figures.put("editions", (long) requests.editions());
    figures.put("rescued", jobs.rescued());
    figures.put("cancelled", jobs.cancelled());
    jobs.found()
        .forEach((name, count) -> figures.put(name.equals("lost") ? "lost_jobs" : name, count));
    figures.put("violations", (long) violations.size());
    return figures;
  }

  /** Returns the line that scripts read. */
  public String line() {
    StringBuilder line = new StringBuilder();
    figures().forEach((name, value) -> line.append(name).append('=').append(value).append(' '));
    return line.append("seed=").append(settings.seed()).toString();
  }

  /** Returns what is wrong, which includes that nothing could have gone wrong. */
  public List<String> complaints() {
    List<String> complaints = new ArrayList<>();
    if (settings.control()) {
      need(complaints, findings.duplicates(), "the control has no effect twice: it proves nothing");
      return complaints;
    }
    violations.stream()
        .filter(violation -> settings.replication() != Replication.ASYNC || !mayFail(violation))
        .forEach(complaints::add);
    need(complaints, facts.takeovers(), "no takeover took place");
    need(complaints, facts.longPauses(), "no pause outlived the lease");
    need(complaints, findings.verdicts(EffectVerdict.STALE), "the sink refused nothing");
    need(complaints, facts.commitsCut(), "no connection was cut during COMMIT");
    need(complaints, findings.guards(), "no body was asked whether it may act");
    need(complaints, jobs.rescued(), "no job was rescued");
    need(complaints, jobs.cancelled(), "no job was called off");
    long expected = settings.lasting().toSeconds() * TICKING * 9 / 10;
    if (ticks() < expected) {
      complaints.add("too few ticks were due: " + ticks() + " of at least " + expected);
    }
    return complaints;
  }

  /**
   * Says whether a promise is about what a database keeps, which an asynchronous standby does not.
   */
  private static boolean mayFail(String violation) {
    return Arrays.stream(Invariant.values())
        .anyMatch(
            invariant -> invariant.needsCommitsKept() && invariant.count(List.of(violation)) > 0);
  }

  private long ticks() {
    return findings.ticks();
  }

  private long lost() {
    return violations.stream()
        .filter(what -> what.startsWith(NO_OUTCOME) || what.startsWith("lost"))
        .count();
  }

  private static void need(List<String> complaints, long count, String otherwise) {
    if (count == 0) {
      complaints.add("proves too little: " + otherwise);
    }
  }
}
