package dev.monotick.spi.job;

import java.util.Set;

/** Takes notifications of new jobs. A hint: it may come too often, or never. */
@FunctionalInterface
public interface JobSignals {

  /**
   * There may be new jobs. Must not block.
   *
   * @param queues the queues they are in; empty for any
   */
  void ready(Set<String> queues);
}
