package dev.monotick.postgres;

import dev.monotick.testkit.ReplicaRegistryContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresRegistryOn18Test extends ReplicaRegistryContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(18);
  }
}
