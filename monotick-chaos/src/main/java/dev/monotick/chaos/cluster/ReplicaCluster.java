package dev.monotick.chaos.cluster;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.network.ProxyBehaviour;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.replica.ExactRows;
import dev.monotick.chaos.replica.ReplicaLaunch;
import dev.monotick.chaos.replica.ReplicaProcess;
import dev.monotick.chaos.replica.ReplicaProcessSettings;
import dev.monotick.chaos.replica.SharedRows;
import dev.monotick.chaos.replica.TaskWorkload;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/**
 * Replicas that share a database and a sink, each behind a network of its own, and all the bad
 * things that can be done to them. Threads may do different things to different replicas.
 */
public final class ReplicaCluster implements AutoCloseable {

  /** The name under which faults are told in the journal. */
  public static final String NEMESIS = "nemesis";

  /** How long a replica may take to start, on a machine that has other things to do. */
  private static final Duration START = Duration.ofSeconds(60);

  private final ClusterSettings settings;
  private final DatabaseServer server;
  private final Sink sink;
  private final Journal journal;
  private final CurrentLeaders leaders;
  private final Path folder;
  private final Function<String, ReplicaEnvironment> environment;
  private final Map<String, ClusterMember> members = new ConcurrentSkipListMap<>(); // by place
  private final Map<String, Integer> starts = new ConcurrentHashMap<>();

  /**
   * Creates a cluster without replicas.
   *
   * @param surroundings where the replica of a place lives
   */
  public ReplicaCluster(
      ClusterSettings settings,
      DatabaseServer server,
      Sink sink,
      Journal journal,
      Path folder,
      Function<String, ReplicaEnvironment> surroundings) {
    this.settings = settings;
    this.server = server;
    this.sink = sink;
    this.journal = journal;
    this.leaders = new CurrentLeaders(journal);
    this.folder = folder;
    this.environment = surroundings;
    try (Connection connection = server.connect()) {
      if (settings.tasks().contains(TaskWorkload.SHARED)) {
        SharedRows.create(connection, settings.schema());
      }
      if (settings.tasks().contains(TaskWorkload.EXACT)) { // any task that needs them comes with it
        new ExactRows(settings.schema()).create(connection);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("no tables for tasks to work on", e);
    }
  }

  /** Starts replicas at places; returns when all have joined. */
  public void start(String... places) {
    int mark = journal.mark();
    List<String> sources = new ArrayList<>();
    for (String place : places) {
      sources.add(launch(place, Optional.empty()).source());
    }
    for (String source : sources) {
      journal.await(
          "start of " + source,
          START,
          mark,
          entry -> entry.source().equals(source) && entry.is("started"));
    }
  }

  /** Returns the replicas that were started and not killed. */
  public Collection<ClusterMember> members() {
    return List.copyOf(members.values());
  }

  /** Returns what the processes told. */
  public Journal journal() {
    return journal;
  }

  /** Returns the settings. */
  public ClusterSettings settings() {
    return settings;
  }

  /** Waits until a replica leads, and returns it. */
  public ClusterMember awaitLeader(Duration patience) {
    journal.awaitUntil("leader of " + settings.schema(), patience, heard -> leader().isPresent());
    return leader().orElseThrow();
  }

  /** Returns the replica that leads, if it was started here and lives. */
  public synchronized Optional<ClusterMember> leader() {
    return leaders.current().flatMap(lead -> find(lead.source()));
  }

  /** Returns a replica by the name of its process. */
  public Optional<ClusterMember> find(String source) {
    return members.values().stream().filter(member -> member.source().equals(source)).findFirst();
  }

  /** Waits until another replica than that one gained leadership, and returns the event. */
  public Journal.Entry awaitTakeover(ClusterMember from, int mark, Duration patience) {
    return journal.await(
        "takeover from " + from.source(),
        patience,
        mark,
        entry -> entry.is("gained") && !entry.source().equals(from.source()));
  }

  /** Kills a replica: SIGKILL. */
  public long kill(ClusterMember member) {
    long nanos = logged("kill", member);
    member.process().kill();
    member.network().close();
    members.remove(member.place());
    return nanos;
  }

  /** Stops a replica in its tracks: SIGSTOP. */
  public long pause(ClusterMember member) {
    long nanos = logged("pause", member);
    member.process().pause();
    return nanos;
  }

  /** Lets a replica go on that was paused. */
  public long resume(ClusterMember member) {
    long nanos = logged("resume", member);
    member.process().resume();
    return nanos;
  }

  /** Breaks or heals the network between a replica and its database. */
  public long set(ClusterMember member, ProxyBehaviour link) {
    long nanos = System.nanoTime();
    journal.add(NEMESIS, HistoryEvent.at(nanos, "network", "whom", member.source(), "link", link));
    member.network().set(link);
    return nanos;
  }

  /** Resets all connections between a replica and its database: both sides get an error. */
  public long reset(ClusterMember member) {
    long nanos = logged("reset", member);
    member.network().reset();
    return nanos;
  }

  /** Asks a replica to stop gracefully; returns when its process has ended. */
  public void stop(ClusterMember member, Duration patience) {
    logged("stop", member);
    member.process().send("stop");
    member.process().awaitExit(patience);
    member.network().close();
    members.remove(member.place());
  }

  /** Forgets a replica that has ended by itself. */
  public void bury(ClusterMember member) {
    logged("ended by itself", member);
    member.network().close();
    members.remove(member.place(), member);
  }

  /** Undoes whatever was done: all networks pass, nobody is paused, the dead are started again. */
  public void heal(String... places) {
    for (ClusterMember member : members()) {
      set(member, ProxyBehaviour.PASSING);
      if (member.process().isAlive()) {
        resume(member);
      } else {
        kill(member);
      }
    }
    List<String> missing = new ArrayList<>(List.of(places));
    missing.removeAll(members.keySet());
    start(missing.toArray(String[]::new));
  }

  @Override
  public void close() {
    members()
        .forEach(
            member -> {
              member.process().close();
              member.network().close();
            });
    members.clear();
  }

  private long logged(String kind, ClusterMember whom) {
    HistoryEvent event = HistoryEvent.now(kind, "whom", whom.source());
    journal.add(NEMESIS, event);
    return event.nanos();
  }

  /**
   * Starts a replica and does not wait until it has joined.
   *
   * @param launch what it has for itself; empty for an ordinary start under a name of its own
   */
  public ClusterMember launch(String place, Optional<ReplicaLaunch> launch) {
    String source = place + "." + starts.merge(place, 1, Integer::sum);
    ReplicaEnvironment where = environment.apply(place);
    FaultProxy network = new FaultProxy(where.database(), server::address);
    ReplicaProcessSettings replica =
        new ReplicaProcessSettings(
            source,
            server.url(where.database().getHostAddress(), network.port()),
            server.user(),
            server.password(),
            settings.schema(),
            settings.leadership(),
            settings.portable(),
            settings.lease(),
            settings.membership(),
            new InetSocketAddress(where.sink(), sink.port()),
            settings.tasks(),
            settings.traits(),
            launch.orElse(ReplicaLaunch.of(source)));
    JavaProgram program =
        new JavaProgram(
            source,
            ReplicaProcess.class,
            replica.toArguments(),
            where.environment(),
            where.wrapper(),
            folder.resolve(source + ".err"));
    ChildProcess process =
        ChildProcess.start(program, line -> journal.add(source, HistoryEvent.parse(line)));
    ClusterMember member = new ClusterMember(source, place, process, network);
    journal.add(NEMESIS, HistoryEvent.now("launch", "whom", source, "place", place));
    members.put(place, member);
    return member;
  }
}
