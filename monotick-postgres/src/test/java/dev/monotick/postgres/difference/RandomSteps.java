package dev.monotick.postgres.difference;

import dev.monotick.job.JobFilter;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobLimit.Scope;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Chooses steps by chance, so that most of them mean something. All follows from the seed. */
final class RandomSteps {

  private static final Scope[] SCOPES = {
    new Scope("k0", "", false),
    new Scope("k1", "", true),
    new Scope("k1", Scope.EACH, true),
    new Scope("", Scope.EACH, false),
    new Scope("k1", Scope.EACH, false),
    new Scope("", "t0", false)
  };

  private final Random random;
  private final Side side;
  private final boolean deadly; // jobs die and are purged, and replicas come late
  private final Replicas replicas;
  private final List<String> labels = new ArrayList<>();

  RandomSteps(long seed, Side side) {
    this.random = new Random(seed);
    this.side = side;
    this.deadly = random.nextInt(3) == 0;
    this.replicas = new Replicas(random, deadly);
  }

  Step next() {
    int dice = random.nextInt(1000);
    if (dice < 230 || labels.isEmpty()) {
      return enqueue();
    } else if (dice < 580) {
      return replicas.turn(side);
    } else if (dice < 630) {
      return replicas.note(side);
    } else if (dice < 660) {
      return replicas.start(side);
    } else if (dice < (deadly ? 790 : 730)) {
      return replicas.comeOrGo();
    } else if (dice < 820) {
      return new Step.Advance(time());
    } else if (dice < 905) {
      return decide();
    } else if (dice < 930) {
      return handOff();
    } else if (dice < 936) {
      return new Step.Retention(random.nextInt(Side.LANES.size() + 1) - 1);
    } else if (dice < 945) {
      return new Step.Show(some());
    }
    return administer();
  }

  /** Takes in what a step gave. */
  void played(Step step) {
    replicas.played(step, side);
  }

  private Duration time() {
    return switch (random.nextInt(6)) {
      case 0 -> Duration.ofMillis(1);
      case 1 -> Duration.ofMillis(200);
      case 2 -> Duration.ofMinutes(2);
      default -> Duration.ofSeconds(1 + random.nextInt(10));
    };
  }

  private Step enqueue() {
    int count = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
    List<Draft> drafts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Draft draft = draft();
      labels.add(draft.label());
      drafts.add(draft);
    }
    Follow follow =
        count > 1 && random.nextBoolean() ? pick(List.of(Follow.values())) : Follow.NONE;
    Optional<String> parent =
        random.nextInt(10) == 0 && side.id(labels.get(0)) != null
            ? Optional.of(labels.get(0))
            : Optional.empty();
    Optional<Long> depth =
        random.nextInt(12) == 0 ? Optional.of((long) random.nextInt(12)) : Optional.empty();
    return new Step.Enqueue(drafts, follow, parent, depth);
  }

  private Draft draft() {
    boolean plain = random.nextInt(3) == 0;
    Optional<String> unique = sometimes(plain ? 0 : 5, "u" + random.nextInt(3));
    return new Draft(
        "j" + labels.size(),
        random.nextInt(Side.LANES.size()),
        sometimes(plain ? 0 : 5, time()).orElse(Duration.ZERO),
        1 + random.nextInt(3),
        !plain && random.nextInt(5) == 0,
        sometimes(plain ? 0 : 8, time()),
        sometimes(plain ? 0 : 8, time()),
        unique,
        unique.isPresent() && random.nextInt(3) == 0 ? Optional.of(time()) : Optional.empty(),
        sometimes(plain ? 0 : 2, "l" + random.nextInt(2)));
  }

  private Step handOff() {
    Draft draft =
        new Draft(
            "j" + labels.size(),
            random.nextInt(Side.LANES.size()),
            Duration.ZERO,
            1 + random.nextInt(3),
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    labels.add(draft.label());
    return replicas.handOff(side, draft);
  }

  /** Returns jobs, some of them twice. */
  private List<String> some() {
    List<String> some = new ArrayList<>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      some.add(pick(labels));
    }
    return some;
  }

  private Step decide() {
    if (random.nextInt(6) == 0) {
      List<String> many = some();
      many.add(about(Step.Decide.What.PURGE));
      return new Step.DecideAll(many, random.nextBoolean());
    }
    Step.Decide.What what =
        deadly && random.nextBoolean()
            ? Step.Decide.What.PURGE
            : pick(List.of(Step.Decide.What.values()));
    return new Step.Decide(about(what), what, time());
  }

  /** Returns a job that the decision fits, mostly. */
  private String about(Step.Decide.What what) {
    JobState state =
        switch (what) {
          case CANCEL -> random.nextBoolean() ? JobState.RUNNING : JobState.READY;
          case APPROVE, REJECT -> JobState.AWAITING_APPROVAL;
          case RESCHEDULE -> random.nextBoolean() ? JobState.SCHEDULED : JobState.RETRYING;
          case REQUEUE -> pick(List.of(JobState.values()));
          case PURGE -> JobState.DEAD;
        };
    List<String> fitting =
        side.jobs().list(JobFilter.in(state), Step.Turn.ALL).stream()
            .map(job -> side.label(job.id()))
            .toList();
    return fitting.isEmpty() || random.nextInt(6) == 0 ? pick(labels) : pick(fitting);
  }

  private Step administer() {
    Scope scope = SCOPES[random.nextInt(SCOPES.length)];
    JobPause.Of of = random.nextBoolean() ? JobPause.Of.KIND : JobPause.Of.QUEUE;
    String name = of == JobPause.Of.KIND ? "k" + random.nextInt(3) : "q" + random.nextInt(2);
    return switch (random.nextInt(9)) {
      case 0, 1 -> new Step.Limit(limit(scope));
      case 2, 3, 4 -> new Step.Unlimit(any(side.limited()).orElse(scope));
      case 5 -> new Step.Pause(of, name);
      case 6, 7 ->
          any(side.jobs().pauses())
              .map(pause -> new Step.Resume(pause.of(), pause.name()))
              .orElse(new Step.Resume(of, name));
      default -> new Step.Weigh("t" + random.nextInt(2), 1 + random.nextInt(5));
    };
  }

  private JobLimit limit(Scope scope) {
    Optional<JobLimit.Rate> rate =
        scope.perKey()
            ? Optional.empty()
            : sometimes(2, new JobLimit.Rate(1 + random.nextInt(4), Duration.ofSeconds(4)));
    Optional<Integer> running =
        rate.isPresent() && random.nextBoolean()
            ? Optional.empty()
            : Optional.of(1 + random.nextInt(3));
    return new JobLimit(scope, running, rate);
  }

  private <T> Optional<T> sometimes(int oneIn, T value) {
    return oneIn > 0 && random.nextInt(oneIn) == 0 ? Optional.of(value) : Optional.empty();
  }

  private <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Sets have an order that follows from nothing, so the words decide. */
  private <T> Optional<T> any(Collection<T> of) {
    return of.isEmpty()
        ? Optional.empty()
        : Optional.of(pick(of.stream().sorted(Comparator.comparing(Object::toString)).toList()));
  }
}
