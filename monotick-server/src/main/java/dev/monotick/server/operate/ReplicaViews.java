package dev.monotick.server.operate;

import dev.monotick.Monotick;
import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.EngineLifecycle;
import dev.monotick.spi.replica.MemberConfig;
import dev.monotick.spi.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Publishes what this replica tells of itself, and reads what the others do. */
@Component
class ReplicaViews {

  private final Sql sql;
  private final JsonMapper json;
  private final Monotick monotick;
  private final EngineLifecycle life;
  private final TimeSource time;
  private volatile @Nullable ReplicaView last;

  ReplicaViews(Sql sql, JsonMapper json, Monotick monotick, EngineLifecycle life, TimeSource time) {
    this.sql = sql;
    this.json = json;
    this.monotick = monotick;
    this.life = life;
    this.time = time;
  }

  /** Returns what this replica tells of itself now; one that was drained, what it told last. */
  ReplicaView own() {
    ReplicaView before = last;
    if (life.state() != EngineLifecycle.State.RUNNING && before != null) {
      return new ReplicaView(
          before.id(),
          before.name(),
          state(),
          time.now(),
          List.of(),
          before.tasks(),
          MemberConfig.tzdbOfThisProcess());
    }
    ReplicaView now = poll();
    last = now;
    return now;
  }

  private ReplicaView poll() {
    List<ReplicaView.Seen> tasks = monotick.tasks().stream().map(ReplicaView.Seen::of).toList();
    List<ReplicaView.Term> terms =
        tasks.stream()
            .map(task -> task.policy().group())
            .distinct()
            .flatMap(group -> monotick.leadership(group).stream())
            .map(
                term ->
                    new ReplicaView.Term(
                        term.group(),
                        term.fence().toString(),
                        term.since(),
                        term.validFor().toMillis()))
            .toList();
    return new ReplicaView(
        monotick.replicaId().toString(),
        monotick.replicaName(),
        state(),
        time.now(),
        terms,
        tasks,
        MemberConfig.tzdbOfThisProcess());
  }

  private ReplicaView.State state() {
    return switch (life.state()) {
      case RUNNING -> ReplicaView.State.RUNNING;
      case DRAINING -> ReplicaView.State.DRAINING;
      case STOPPED -> ReplicaView.State.DRAINED;
    };
  }

  void publish() {
    ReplicaView own = own();
    sql.of(
            """
            insert into @replica_view (replica, name, view) values (:id, :name, cast(:view as jsonb))
            on conflict (replica) do update set name = :name, at = now(), view = cast(:view as jsonb)
            """)
        .param("id", UUID.fromString(own.id()))
        .param("name", own.name())
        .param("view", json.writeValueAsString(own))
        .update();
  }

  /** Forgets replicas that have said nothing for a day. */
  void forgetOld() {
    sql.of("delete from @replica_view where at < now() - interval '1 day'").update();
  }

  /** Returns what living replicas told last, this one what it sees now. */
  List<ReplicaView> all() {
    ReplicaView own = own();
    Set<String> alive =
        Set.copyOf(
            sql.of(
                    """
                    select id::text from @@replica
                     where gone_at is null and heartbeat_at > now() - interval '1 minute'
                    """)
                .query((row, number) -> row.getString(1))
                .list());
    List<ReplicaView> others =
        sql
            .of("select view from @replica_view where replica <> :own order by name, replica")
            .param("own", UUID.fromString(own.id()))
            .query((row, number) -> json.readValue(row.getString(1), ReplicaView.class))
            .list()
            .stream()
            .filter(view -> alive.contains(view.id()) || view.state() != ReplicaView.State.RUNNING)
            .toList();
    return Stream.concat(Stream.of(own), others.stream()).toList();
  }

  /** Returns which of the tasks that the ledger knows are paused and why; null if one is not. */
  Map<String, @Nullable String> pauses() {
    Map<String, @Nullable String> pauses = new HashMap<>();
    sql.of("select name, paused_by, pause_note from @@task")
        .query(
            row -> {
              String by = row.getString("paused_by");
              pauses.put(
                  row.getString("name"),
                  by == null ? null : "paused by " + by + ": " + row.getString("pause_note"));
            });
    return pauses;
  }
}
