package dev.monotick.postgres.difference;

import dev.monotick.job.Job;
import dev.monotick.job.JobState;
import dev.monotick.job.store.JobFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What the replicas of a test know and do next. */
final class Replicas {

  /** A run that a replica has, or had: replicas report late, twice, and what is another's. */
  private record Run(String label, int number, int attempt) {}

  private static final class Replica {

    private boolean joined = true;
    private long number;
    private Step.@Nullable Turn last;
    private boolean mayResend;
    private boolean isOpen;

    /** A turn that it sends again after it rejoined, as one does that had left a turn open. */
    private Step.@Nullable Turn reopened;

    private Step.@Nullable Turn lastClaim;

    /** Whether it does nothing until one of its jobs is forgotten. */
    private boolean frozen;

    private final List<Run> held = new ArrayList<>();
    private final List<Run> reported = new ArrayList<>();
  }

  private final Random random;
  private final boolean deadly;
  private final List<Replica> replicas = new ArrayList<>();

  /**
   * Creates replicas.
   *
   * @param deadly whether most handlers fail for good
   */
  Replicas(Random random, boolean deadly) {
    this.random = random;
    this.deadly = deadly;
    for (int i = 0; i < Side.REPLICAS; i++) {
      replicas.add(new Replica());
    }
  }

  Step turn(Side side) {
    for (Replica each : replicas) {
      if (each.frozen && each.held.stream().anyMatch(run -> side.hasForgotten(run.label()))) {
        each.frozen = false;
        return lateReport(each);
      }
    }
    int place = random.nextInt(replicas.size());
    Replica replica = replicas.get(place);
    if (replica.frozen && random.nextInt(40) > 0) {
      return new Step.Rescue();
    }
    replica.frozen = false;
    Step.Turn last = replica.last;
    Step.Turn reopened = replica.reopened;
    if (reopened != null) {
      replica.reopened = null;
      return reopened.sentAgain();
    }
    if (last != null && replica.isOpen) {
      return last.sentAgain(); // a turn that is open is answered, or closed, under its own number
    }
    if (last != null && random.nextInt(8) == 0 && (replica.mayResend || Switches.LATE_TURNS)) {
      return last.sentAgain();
    }
    List<Report> reports = new ArrayList<>();
    replica.held.stream()
        .filter(run -> random.nextBoolean())
        .map(this::report)
        .forEach(reports::add);
    if (random.nextInt(8) == 0) {
      strange(replica).ifPresent(run -> reports.add(report(run)));
    }
    int most = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(4);
    boolean onlyReports = most == 0;
    long number = onlyReports ? 0 : replica.number + 1;
    int lane = random.nextInt(4) == 0 ? -1 : random.nextInt(Side.LANES.size());
    return new Step.Turn(place, number, withoutDoubles(reports), most, lane, false);
  }

  /** A replica that froze reports all that it had. */
  private Step lateReport(Replica replica) {
    List<Report> reports = replica.held.stream().map(this::report).toList();
    return new Step.Turn(replicas.indexOf(replica), 0, withoutDoubles(reports), 0, 0, false);
  }

  /** A replica that has no turn open leaves one open. */
  Step handOff(Draft draft) {
    int place = random.nextInt(replicas.size());
    Replica replica = replicas.get(place);
    long number = replica.isOpen ? replica.number : replica.number + 1;
    return new Step.HandOff(new Step.Turn(place, number, List.of(), 1, draft.lane(), true), draft);
  }

  /** A run that the replica may not report: reported already, another's, or never claimed. */
  private Optional<Run> strange(Replica replica) {
    Replica other = replicas.get(random.nextInt(replicas.size()));
    List<Run> runs = new ArrayList<>(replica.reported);
    if (other != replica) {
      runs.addAll(other.held);
    }
    if (runs.isEmpty()) {
      return Optional.empty();
    }
    Run run = runs.get(random.nextInt(runs.size()));
    return Optional.of(
        random.nextInt(4) == 0 ? new Run(run.label(), run.number() + 1, run.attempt()) : run);
  }

  /** A replica reports a run once in a turn. */
  private static List<Report> withoutDoubles(List<Report> reports) {
    List<Report> once = new ArrayList<>();
    for (Report report : reports) {
      if (once.stream().noneMatch(other -> other.label().equals(report.label()))) {
        once.add(report);
      }
    }
    return once;
  }

  private Report report(Run run) {
    Report.How how =
        switch (deadly && random.nextInt(3) > 0 ? 3 : random.nextInt(12)) {
          case 0, 1 -> Report.How.RETRIED;
          case 2 -> Report.How.SNOOZED;
          case 3 -> Report.How.DIED;
          case 4 -> Report.How.DISCARDED;
          case 5 -> Report.How.LOST;
          case 6, 7 -> Report.How.HANDED_BACK;
          default -> Report.How.SUCCEEDED;
        };
    Duration delay =
        how == Report.How.RETRIED || how == Report.How.SNOOZED
            ? Duration.ofMillis(10 + random.nextInt(8_000)) // not at once: see Side.lookAround
            : Duration.ZERO;
    return new Report(run.label(), run.number(), run.attempt(), how, delay, random.nextInt(4) > 0);
  }

  Step note(Side side) {
    int place = random.nextInt(replicas.size());
    Replica replica = replicas.get(place);
    List<Run> runs = new ArrayList<>(replica.held);
    if (runs.isEmpty() || random.nextInt(5) == 0) {
      runs.addAll(replica.reported);
    }
    if (runs.isEmpty()) {
      return turn(side);
    }
    Run run = runs.get(random.nextInt(runs.size()));
    Double progress = random.nextBoolean() ? null : random.nextInt(10) / 10.0;
    return new Step.Note(place, run.label(), run.number(), run.attempt(), progress);
  }

  Step comeOrGo() {
    int place = random.nextInt(replicas.size());
    Replica replica = replicas.get(place);
    return switch (random.nextInt(4)) {
      case 0 -> new Step.Leave(place);
      case 1 -> replica.joined || replica.frozen ? new Step.Rescue() : join(place);
      default -> new Step.Rescue();
    };
  }

  private Step join(int place) {
    return new Step.Join(place, !Switches.REJOIN_SAME_ID || random.nextBoolean());
  }

  void played(Step step, Side side) {
    if (step instanceof Step.Turn turn) {
      turned(turn, side);
    } else if (step instanceof Step.HandOff handOff) {
      Replica replica = replicas.get(handOff.turn().replica());
      replica.number = handOff.turn().number();
      replica.last = handOff.turn();
      replica.isOpen = replica.joined;
      replica.mayResend = replica.joined;
    } else if (step instanceof Step.Leave leave) {
      replicas.get(leave.replica()).joined = false;
      replicas.get(leave.replica()).mayResend = false;
      replicas.get(leave.replica()).isOpen = false;
      replicas.get(leave.replica()).frozen = deadly && random.nextBoolean();
    } else if (step instanceof Step.Join join) {
      Replica fresh = new Replica();
      if (!join.asAnother()) {
        Replica before = replicas.get(join.replica());
        fresh.number = before.number;
        fresh.reported.addAll(before.held);
        fresh.reopened = before.lastClaim;
      }
      replicas.set(join.replica(), fresh);
    }
  }

  private void turned(Step.Turn turn, Side side) {
    Replica replica = replicas.get(turn.replica());
    boolean isNew = turn.number() > replica.number || replica.isOpen;
    replica.isOpen = false;
    if (isNew) {
      replica.number = Math.max(replica.number, turn.number());
    }
    replica.last = turn;
    replica.lastClaim = turn.number() > 0 ? turn : replica.lastClaim;
    replica.mayResend = replica.joined;
    for (Report report : turn.reports()) {
      Run run = new Run(report.label(), report.run(), report.attempt());
      replica.held.remove(run);
      replica.reported.add(run);
    }
    if (isNew) {
      held(turn.replica(), side);
    }
  }

  /** What a replica was given is what it runs. */
  private void held(int place, Side side) {
    Replica replica = replicas.get(place);
    List<Job> running = side.jobs().list(JobFilter.in(JobState.RUNNING), Step.Turn.ALL);
    for (Job job : running) {
      job.run()
          .filter(run -> run.replica().equals("r" + place))
          .ifPresent(
              run -> {
                String label = side.label(job.id());
                Run held = new Run(label, run.number(), attempt(job, side));
                if (!replica.held.contains(held)) {
                  replica.held.add(held);
                }
              });
    }
  }

  private static int attempt(Job job, Side side) {
    int attempt = 1;
    for (var each : side.jobs().find(job.id()).orElseThrow().attempts()) {
      switch (each.outcome()) {
        case RETRIED, DIED -> attempt++;
        case REQUEUED -> attempt = 1;
        default -> {}
      }
    }
    return attempt;
  }
}
