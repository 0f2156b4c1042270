package dev.monotick.chaos.fault;

import dev.monotick.Monotick;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.postgres.PostgresStore;

/** A process with one replica, whose name is configured. It joins when its parent says so. */
final class NamedReplica {

  private NamedReplica() {}

  /** Starts a replica; the arguments are URL, user, password, schema, name and leadership. */
  public static void main(String[] arguments) {
    PostgresStore store =
        PostgresStore.builder()
            .url(arguments[0])
            .user(arguments[1])
            .password(arguments[2])
            .schema(arguments[3])
            .membershipTiming(Run.TIMING)
            .build();
    Monotick engine =
        Monotick.builder()
            .store(store)
            .replicaName(arguments[4])
            .leadership(LeadershipMode.valueOf(arguments[5]))
            .build();
    HistoryWriter teller = new HistoryWriter();
    teller.write("ready");
    ParentProcess.listen(line -> join(engine, teller));
  }

  private static void join(Monotick engine, HistoryWriter teller) {
    try {
      engine.start();
      teller.write("joined", "id", engine.replicaId());
    } catch (RuntimeException e) {
      teller.write("refused", "because", e);
    }
  }
}
