package dev.monotick.chaos.campaign;

import dev.monotick.Monotick;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ClusterSettings;
import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.cluster.Namespaces;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.cluster.Standby;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.nemesis.FaultContext;
import dev.monotick.chaos.nemesis.FaultKind;
import dev.monotick.chaos.nemesis.FaultPlan;
import dev.monotick.chaos.nemesis.Nemesis;
import dev.monotick.chaos.nemesis.PlannedFault;
import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.network.ProxyBehaviour;
import dev.monotick.chaos.process.ClockShim;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.ReplicaTraits;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.storm.JobFeed;
import dev.monotick.chaos.storm.JobHistory;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.spi.replica.LeaseTiming;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A cluster, its workload and its nemesis, from the first start to the last check. */
public final class ChaosRun {

  /** D, H, R and M: the shape of the defaults, in a third of the time. */
  public static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofMillis(2000),
          Duration.ofMillis(500),
          Duration.ofMillis(500),
          Duration.ofMillis(300));

  static final String SCHEMA = "chaos";
  static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int JOBS_PER_SECOND = 20;
  private static final Duration CALM = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(30);

  private final ChaosSettings settings;
  private final Path folder;
  private final Consumer<String> out;
  private final Journal journal = new Journal();
  private final Set<String> places = new LinkedHashSet<>();

  /**
   * Prepares a run.
   *
   * @param folder for what the processes write; empty
   * @param out is told of the progress
   */
  public ChaosRun(ChaosSettings settings, Path folder, Consumer<String> out) {
    this.settings = settings;
    this.folder = folder;
    this.out = out;
    for (int i = 1; i <= settings.replicas(); i++) {
      places.add("r" + i);
    }
  }

  /** Returns what the processes tell. */
  public Journal journal() {
    return journal;
  }

  /** Runs it, and checks it. */
  public ChaosResult run() throws SQLException {
    ClockShim clocks = ClockShim.build(folder);
    Optional<Namespaces> namespaces =
        Namespaces.obstacle().isEmpty()
            ? Optional.of(Namespaces.create(places.toArray(String[]::new)))
            : Optional.empty();
    Optional<Standby> standby = Optional.empty();
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"))) {
      if (settings.replication() != Replication.NONE) {
        standby =
            Optional.of(
                Standby.of(
                    server, folder.resolve("standby"), settings.replication() == Replication.SYNC));
      }
      return run(server, clocks, namespaces, standby);
    } finally {
      standby.ifPresent(Standby::close);
      namespaces.ifPresent(Namespaces::close);
    }
  }

  private ChaosResult run(
      EmbeddedServer server,
      ClockShim clocks,
      Optional<Namespaces> namespaces,
      Optional<Standby> standby)
      throws SQLException {
    try (Sink sink = new Sink(folder, journal);
        ReplicaCluster cluster =
            new ReplicaCluster(
                cluster(),
                server,
                sink,
                journal,
                folder,
                place -> environment(place, clocks, namespaces))) {
      FaultContext scene =
          new FaultContext(cluster, server, sink, clocks, namespaces, TIMING, standby);
      return run(scene);
    }
  }

  private ChaosResult run(FaultContext scene) throws SQLException {
    ReplicaCluster cluster = scene.cluster();
    journal.add(ReplicaCluster.NEMESIS, WallClock.now());
    cluster.start(places.toArray(String[]::new));
    try (Connection connection = scene.server().connect()) {
      JobHistory.prepare(connection, SCHEMA);
    }
    try (FaultProxy way = FaultProxy.to(scene.server()::address);
        PostgresStore store = open(scene, way);
        Nemesis nemesis = new Nemesis(scene, places)) {
      SplittableRandom random = new SplittableRandom(settings.seed());
      JobFeed feed = new JobFeed(Monotick.jobs(store), journal, JOBS_PER_SECOND, random.split());
      feed.limit();
      TaskEditor editor = new TaskEditor(cluster, random.split());
      ChaosProgress watch = new ChaosProgress(journal, nemesis, settings.lasting(), out);
      start("feed", feed);
      start("editor", editor);
      start("watch", watch);
      cluster.awaitLeader(CALM);
      nemesis.carryOut(plan(nemesis.kinds()));
      editor.stop();
      feed.stop();
      RunCompletion settling = new RunCompletion(scene, settings, editor, nemesis);
      heal(scene);
      RunCompletion.CompletionResult settled = settling.await(CALM.multipliedBy(2));
      watch.stop();
      stop(cluster);
      out.accept("checking");
      return new RunCheck(settings, scene, folder).judge(settled);
    }
  }

  /** A failover takes place once, in the middle: there is one standby. */
  private List<PlannedFault> plan(Set<FaultKind> possible) {
    Set<FaultKind> kinds = new TreeSet<>(possible);
    boolean failover = kinds.remove(FaultKind.FAILOVER);
    List<PlannedFault> plan =
        new ArrayList<>(FaultPlan.of(settings.seed(), settings.lasting(), kinds));
    if (failover) {
      plan.add(
          new PlannedFault(
              plan.size() + 1,
              settings.lasting().dividedBy(2),
              FaultKind.FAILOVER,
              0,
              new SplittableRandom(settings.seed()).nextDouble()));
      plan.sort(Comparator.comparing(PlannedFault::at));
    }
    return plan;
  }

  private ClusterSettings cluster() {
    return new ClusterSettings(
        SCHEMA,
        settings.backend().leadership(),
        settings.backend().isPortable(),
        Optional.of(TIMING),
        Optional.of(TIMING),
        TaskWorkload.FULL,
        new ReplicaTraits(PERIOD, true, settings.control()));
  }

  private static ReplicaEnvironment environment(
      String place, ClockShim clocks, Optional<Namespaces> namespaces) {
    boolean own = namespaces.isPresent() && !place.startsWith("x");
    ReplicaEnvironment where = own ? namespaces.get().of(place) : ReplicaEnvironment.plain();
    return new ReplicaEnvironment(
        where.wrapper(), clocks.environment(place), where.database(), where.sink());
  }

  /** By a way of its own, because the server may come back elsewhere. */
  private static PostgresStore open(FaultContext scene, FaultProxy way) {
    return PostgresStore.builder()
        .url(scene.server().url("127.0.0.1", way.port()))
        .user(scene.server().user())
        .password(scene.server().password())
        .schema(SCHEMA)
        .build();
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** All networks pass, all clocks are right, nobody is paused. */
  private void heal(FaultContext scene) {
    journal.add(ReplicaCluster.NEMESIS, HistoryEvent.now("calm"));
    for (ClusterMember member : scene.cluster().members()) {
      scene.cluster().set(member, ProxyBehaviour.PASSING);
      member.network().cutNoCommit();
      member.network().delayReplies(Duration.ZERO);
      resume(scene.cluster(), member);
      if (places.contains(member.place())) {
        scene.namespaces().ifPresent(spaces -> spaces.set(member.place(), ProxyBehaviour.PASSING));
        scene.clocks().set(member.place(), Duration.ZERO);
      }
    }
  }

  private static void resume(ReplicaCluster cluster, ClusterMember member) {
    try {
      cluster.resume(member);
    } catch (IllegalStateException e) {
      // It has just died, and is started again.
    }
  }

  private static void stop(ReplicaCluster cluster) {
    for (ClusterMember member : cluster.members()) {
      try {
        cluster.stop(member, STOP);
      } catch (RuntimeException e) {
        cluster.kill(member);
      }
    }
    Waiting.let(Duration.ofMillis(200));
  }
}
