package dev.monotick.testkit.contract;

import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.Store;
import dev.monotick.testkit.FakeTime;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

final class InMemoryUnderTest implements StoreUnderTest {

  private final FakeTime time = new FakeTime();
  private final Store store = InMemoryStore.builder().time(time.timeSource()).build();

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public void letTimePass(Duration amount) {
    time.advance(amount);
  }

  @Override
  public void close() {}
}
