package dev.monotick.postgres.difference;

import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the replicas of a test know and do next. */
final class Replicas {

  /** What a replica knows in one membership. It goes on to report after it lost it. */
  private static final class Membership {

    private boolean joined = true;
    private boolean isOpen;
    private Step.@Nullable Turn last;
    private final List<Step.Turn> claims = new ArrayList<>();

    /** Whether it does nothing until one of its jobs is forgotten. */
    private boolean frozen;

    private final List<Run> held = new ArrayList<>();
    private final List<Run> reported = new ArrayList<>();
  }

  /** Who acts: a replica in its present membership or a former one. */
  private record Actor(int place, int ago, Membership membership) {}

  /** How many memberships ago a replica may act. */
  private static final int LONGEST_AGO = 3;

  private final Random random;
  private final boolean deadly;
  private final List<List<Membership>> replicas = new ArrayList<>(); // the present one first

  /**
   * Creates replicas.
   *
   * @param deadly whether most handlers fail for good
   */
  Replicas(Random random, boolean deadly) {
    this.random = random;
    this.deadly = deadly;
    for (int i = 0; i < Side.REPLICAS; i++) {
      replicas.add(new ArrayList<>(List.of(new Membership())));
    }
  }

  private Actor actor(int place, int ago) {
    return new Actor(place, ago, replicas.get(place).get(ago));
  }

  /** Returns a replica, mostly in its present membership. */
  private Actor anyActor() {
    int place = random.nextInt(replicas.size());
    int former = Math.min(replicas.get(place).size() - 1, LONGEST_AGO);
    int ago = former > 0 && random.nextInt(4) == 0 ? 1 + random.nextInt(former) : 0;
    return actor(place, ago);
  }

  Step turn(Side side) {
    for (int place = 0; place < replicas.size(); place++) {
      for (int ago = 0; ago < replicas.get(place).size(); ago++) {
        Actor each = actor(place, ago);
        if (each.membership.frozen
            && each.membership.held.stream().anyMatch(run -> side.hasForgotten(run.label()))) {
          each.membership.frozen = false;
          return lateReport(each);
        }
      }
    }
    Actor actor = anyActor();
    Membership replica = actor.membership;
    if (replica.frozen && random.nextInt(40) > 0) {
      return new Step.Rescue();
    }
    replica.frozen = false;
    Step.Turn last = replica.last;
    if (last != null && replica.isOpen) {
      return sentAgain(actor, last); // what is open is answered, or closed, under its own number
    }
    if (last != null && random.nextInt(8) == 0) {
      return sentAgain(actor, last);
    }
    if (!replica.claims.isEmpty() && random.nextInt(10) == 0) { // a late copy
      return sentAgain(actor, replica.claims.get(random.nextInt(replica.claims.size())));
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
    MemberId id = side.replica(actor.place, actor.ago).orElseThrow();
    long number = most == 0 ? 0 : side.nextNumber(id);
    int lane = random.nextInt(4) == 0 ? -1 : random.nextInt(Side.LANES.size());
    return new Step.Turn(
        actor.place, actor.ago, number, withoutDoubles(reports), most, lane, false);
  }

  private static Step.Turn sentAgain(Actor actor, Step.Turn turn) {
    return new Step.Turn(
        actor.place, actor.ago, turn.number(), turn.reports(), turn.most(), turn.lane(), true);
  }

  /** A replica that froze reports all that it had. */
  private Step lateReport(Actor actor) {
    List<Report> reports = actor.membership.held.stream().map(this::report).toList();
    return new Step.Turn(actor.place, actor.ago, 0, withoutDoubles(reports), 0, 0, false);
  }

  /** A replica that has no turn open leaves one open. */
  Step handOff(Side side, Draft draft) {
    int place = random.nextInt(replicas.size());
    long number = side.nextNumber(side.replica(place));
    return new Step.HandOff(
        new Step.Turn(place, 0, number, List.of(), 1, draft.lane(), true), draft);
  }

  /** A run that the replica may not report: reported already, another's, or never claimed. */
  private Optional<Run> strange(Membership replica) {
    Membership other = anyActor().membership;
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
    Actor actor = anyActor();
    Membership replica = actor.membership;
    List<Run> runs = new ArrayList<>(replica.held);
    if (runs.isEmpty() || random.nextInt(5) == 0) {
      runs.addAll(replica.reported);
    }
    if (runs.isEmpty()) {
      return turn(side);
    }
    Run run = runs.get(random.nextInt(runs.size()));
    Double progress = random.nextBoolean() ? null : random.nextInt(10) / 10.0;
    return new Step.Note(actor.place, actor.ago, run, progress);
  }

  /** Some of the runs that a replica has begin, and now and then one that it may not begin. */
  Step start(Side side) {
    Actor actor = anyActor();
    List<Run> runs = new ArrayList<>();
    for (Run run : actor.membership.held) {
      if (random.nextInt(3) > 0) {
        runs.add(run);
      }
    }
    if (random.nextInt(4) == 0) {
      strange(actor.membership)
          .filter(run -> runs.stream().noneMatch(other -> other.label().equals(run.label())))
          .ifPresent(runs::add);
    }
    return runs.isEmpty() ? turn(side) : new Step.Start(actor.place, actor.ago, runs);
  }

  Step comeOrGo() {
    Actor actor = anyActor();
    Membership present = replicas.get(actor.place).get(0);
    return switch (random.nextInt(8)) {
      case 0, 1 -> new Step.Leave(actor.place);
      case 2 ->
          new Step.Join(
              actor.place, present.frozen ? Step.Join.How.RESTARTED : Step.Join.How.REJOINED);
      case 3 ->
          present.joined ? new Step.Rescue() : new Step.Join(actor.place, Step.Join.How.RESTARTED);
      case 4 ->
          random.nextBoolean()
              ? new Step.Join(actor.place, Step.Join.How.AGAIN)
              : new Step.Beat(actor.place, actor.ago);
      default -> new Step.Rescue();
    };
  }

  void played(Step step, Side side) {
    if (step instanceof Step.Turn turn) {
      turned(turn, side);
    } else if (step instanceof Step.HandOff handOff) {
      Membership replica = replicas.get(handOff.turn().replica()).get(0);
      replica.last = handOff.turn();
      replica.isOpen = replica.joined;
    } else if (step instanceof Step.Leave leave) {
      Membership replica = replicas.get(leave.replica()).get(0);
      replica.joined = false;
      replica.isOpen = false;
      replica.frozen = deadly && random.nextBoolean();
    } else if (step instanceof Step.Join join && join.how() != Step.Join.How.AGAIN) {
      Membership before = replicas.get(join.replica()).get(0);
      before.joined = false;
      before.isOpen = false;
      replicas.get(join.replica()).add(0, new Membership());
    }
  }

  private void turned(Step.Turn turn, Side side) {
    Membership replica = replicas.get(turn.replica()).get(turn.ago());
    replica.isOpen = false;
    replica.last = turn;
    if (turn.number() > 0 && !turn.again()) {
      replica.claims.add(turn);
    }
    for (Report report : turn.reports()) {
      Run run = new Run(report.label(), report.run(), report.attempt());
      replica.held.remove(run);
      replica.reported.add(run);
    }
    Set<Run> given = side.given(side.replica(turn.replica(), turn.ago()).orElseThrow());
    given.stream()
        .filter(run -> !replica.held.contains(run) && !replica.reported.contains(run))
        .forEach(replica.held::add);
  }
}
