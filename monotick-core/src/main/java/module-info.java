/** Tasks, jobs, leadership, the tick ledger and the engine that runs them. */
@SuppressWarnings("module") // backends and the test kit are not there yet when this is compiled
module dev.monotick.core {
  requires transitive dev.monotick.schedule;
  requires transitive java.sql;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.monotick;
  exports dev.monotick.error;
  exports dev.monotick.event;
  exports dev.monotick.job;
  exports dev.monotick.leader;
  exports dev.monotick.replica;
  exports dev.monotick.task;
  exports dev.monotick.tick;
  exports dev.monotick.work;
  exports dev.monotick.spi;
  exports dev.monotick.spi.job;
  exports dev.monotick.spi.leader;
  exports dev.monotick.spi.metric;
  exports dev.monotick.spi.replica;
  exports dev.monotick.spi.tick;
  exports dev.monotick.spi.time;
  exports dev.monotick.internal to
      dev.monotick.postgres;
  exports dev.monotick.internal.lane to
      dev.monotick.memory,
      dev.monotick.postgres;
  exports dev.monotick.internal.ledger to
      dev.monotick.memory,
      dev.monotick.postgres;
  exports dev.monotick.engine.thread to
      dev.monotick.testkit;

  uses dev.monotick.job.PayloadCodec;
}
