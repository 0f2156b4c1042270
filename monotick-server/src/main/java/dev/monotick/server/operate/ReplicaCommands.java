package dev.monotick.server.operate;

import dev.monotick.Monotick;
import dev.monotick.internal.StoreFailures;
import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.EngineLifecycle;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * What one replica is asked to do by whoever reaches another: an order is a row, and the replica it
 * is for looks for its own every second.
 */
@Component
class ReplicaCommands implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ReplicaCommands.class);

  private final Sql sql;
  private final Monotick monotick;
  private final EngineLifecycle life;
  private final ReplicaViews views;
  private final ThreadPoolTaskExecutor thread = new ThreadPoolTaskExecutor();

  /** What to do. */
  enum Action {
    /** Give a leadership to another. */
    RESIGN,
    /** Take no work any more. */
    DRAIN
  }

  private record Order(UUID id, Action action, String argument) {}

  ReplicaCommands(Sql sql, Monotick monotick, EngineLifecycle life, ReplicaViews views) {
    this.sql = sql;
    this.monotick = monotick;
    this.life = life;
    this.views = views;
    // Draining waits for the very task that looks for orders, so it needs a thread beside it.
    thread.setCorePoolSize(1);
    thread.setMaxPoolSize(1);
    thread.setThreadNamePrefix("order-");
    thread.setDaemon(true);
    thread.initialize();
  }

  /** Asks a replica for something, in the open transaction. */
  void send(UUID replica, Action action, String argument, String by) {
    sql.of(
            """
            insert into @replica_command (replica, action, argument, asked_by)
            values (:replica, :action, :argument, :by)
            """)
        .param("replica", replica)
        .param("action", action.name())
        .param("argument", argument)
        .param("by", by)
        .update();
  }

  /**
   * Takes what this replica was asked for and does it. Taking comes first: an order is done once.
   */
  void poll() {
    UUID own = monotick.replicaId();
    List<Order> orders =
        sql.of(
                """
                update @replica_command set done_at = now(), result = 'taken'
                 where replica = :own and done_at is null returning id, action, argument
                """)
            .param("own", own)
            .query(
                (row, number) ->
                    new Order(
                        row.getObject(1, UUID.class),
                        Action.valueOf(row.getString(2)),
                        row.getString(3)))
            .list();
    orders.forEach(order -> thread.execute(() -> carryOut(order)));
  }

  private void carryOut(Order order) {
    String result = "done";
    try {
      switch (order.action()) {
        case RESIGN -> monotick.resign(order.argument());
        case DRAIN -> {
          life.drain();
          views.publish(); // nobody else will say so: its tasks have stopped
        }
      }
    } catch (RuntimeException e) {
      log.warn(
          "order {} {} failed cause={}",
          order.action(),
          order.argument(),
          StoreFailures.describe(e),
          StoreFailures.trace(e));
      result = "failed: " + e;
    }
    sql.of("update @replica_command set result = :result where id = :id")
        .param("result", result)
        .param("id", order.id())
        .update();
  }

  /** Forgets old orders. */
  void forgetOld() {
    sql.of("delete from @replica_command where asked_at < now() - interval '30 days'").update();
  }

  @Override
  public void destroy() {
    thread.shutdown();
  }
}
