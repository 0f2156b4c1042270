package dev.monotick.server.health;

import dev.monotick.Monotick;
import dev.monotick.server.database.Sql;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.HaMode;
import dev.monotick.task.TaskStatus;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** Watches whether somebody leads each group that has tasks here. */
@Component
class LeaderWatch {

  private final Sql sql;
  private final ObjectProvider<Monotick> engine; // which has a task that looks here
  private final TimeSource time;
  private final Map<String, Long> leaderlessSince = new ConcurrentHashMap<>();

  LeaderWatch(Sql sql, ObjectProvider<Monotick> engine, TimeSource time) {
    this.sql = sql;
    this.engine = engine;
    this.time = time;
  }

  /** Looks who leads. */
  void poll() {
    Monotick monotick = engine.getObject();
    Set<String> groups =
        monotick.tasks().stream()
            .map(TaskStatus::task)
            .filter(spec -> spec.mode() == HaMode.LEADER)
            .map(spec -> spec.group())
            .collect(Collectors.toSet());
    Set<String> led =
        Set.copyOf(
            sql.of(
                    """
                    select l.group_name from @@lease l join @@replica r on r.id = l.holder
                     where not l.released and r.gone_at is null
                       and r.heartbeat_at > now() - interval '30 seconds'
                    """)
                .query((row, number) -> row.getString(1))
                .list());
    Set<String> own =
        groups.stream()
            .filter(group -> monotick.leadership(group).isPresent())
            .collect(Collectors.toSet());
    note(groups, Stream.concat(led.stream(), own.stream()).collect(Collectors.toSet()));
  }

  /** Notes which of the groups somebody leads. */
  void note(Set<String> groups, Set<String> led) {
    leaderlessSince.keySet().retainAll(groups);
    for (String group : groups) {
      if (led.contains(group)) {
        leaderlessSince.remove(group);
      } else {
        leaderlessSince.putIfAbsent(group, time.nanos());
      }
    }
  }

  /** Returns for how long nobody leads each group that has no leader. */
  Map<String, Duration> leaderless() {
    long now = time.nanos();
    Map<String, Duration> result = new TreeMap<>();
    leaderlessSince.forEach((group, since) -> result.put(group, Duration.ofNanos(now - since)));
    return result;
  }
}
