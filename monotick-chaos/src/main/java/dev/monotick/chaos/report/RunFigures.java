package dev.monotick.chaos.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Figures of a run that are shown, and what they are called. */
final class RunFigures {

  static final Map<String, String> SHOWN = new LinkedHashMap<>();

  static final Set<String> MUST_BE_ZERO =
      Set.of(
          "duplicates",
          "lost",
          "completed_twice",
          "began_after_end",
          "attempts_wrong",
          "cancels_undone",
          "unique_violations",
          "limit_violations",
          "violations");

  static {
    SHOWN.put("faults", "faults");
    SHOWN.put("takeovers", "takeovers");
    SHOWN.put("terms", "terms of leadership");
    SHOWN.put("ticks", "ticks on record");
    SHOWN.put("effects", "effects that took place");
    SHOWN.put("duplicates", "effects that took place twice");
    SHOWN.put("lost", "ticks and jobs lost");
    SHOWN.put("refused", "effects refused by their fence");
    SHOWN.put("repeated", "effects repeated, without harm, under the same key");
    SHOWN.put("unknown", "ticks whose outcome is UNKNOWN, and said so");
    SHOWN.put("guards", "times a body was told that it may act");
    SHOWN.put("long_pauses", "pauses longer than the lease");
    SHOWN.put("commits_cut", "connections cut during COMMIT");
    SHOWN.put("excused_overlaps", "overlapping terms for a reason that is excused below");
    SHOWN.put("pauses", "pauses by people that were held against the ledger");
    SHOWN.put("triggers", "ticks that people asked for");
    SHOWN.put("editions", "editions of the program");
    SHOWN.put("jobs", "jobs");
    SHOWN.put("rescued", "runs of jobs taken from replicas that were gone");
    SHOWN.put("cancelled", "jobs called off");
    SHOWN.put("completed_twice", "jobs completed twice");
    SHOWN.put("began_after_end", "jobs begun after their end");
    SHOWN.put("attempts_wrong", "jobs with wrong attempts");
    SHOWN.put("cancels_undone", "jobs called off that went on");
    SHOWN.put("unique_violations", "unique keys active twice");
    SHOWN.put("limit_violations", "limits exceeded");
    SHOWN.put("violations", "violations of anything");
  }

  private RunFigures() {}
}
