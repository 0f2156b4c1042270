package dev.monotick.chaos.replica;

import dev.monotick.postgres.PostgresLeadership;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.PostgresStoreBuilder;
import dev.monotick.spi.Store;
import dev.monotick.spi.time.TimeSource;

/** Opens the store under test. */
final class StoreUnderChaos {

  private StoreUnderChaos() {}

  static Store open(ReplicaProcessSettings settings, TimeSource time) {
    PostgresStoreBuilder builder =
        PostgresStore.builder()
            .url(settings.url())
            .user(settings.user())
            .password(settings.password())
            .schema(settings.schema())
            .leadership(PostgresLeadership.valueOf(settings.leadership()))
            .portable(settings.portable())
            .time(time);
    settings.lease().ifPresent(builder::leaseTiming);
    settings.membership().ifPresent(builder::membershipTiming);
    PostgresStore store = builder.build();
    return settings.traits().unguarded() ? new UnguardedStore(store, time) : store;
  }
}
