/** Tasks, schedules, leadership, the tick ledger and the engine that runs them. */
@SuppressWarnings("module") // the test kit is not there yet when this is compiled
module dev.monotick.core {
  requires transitive java.sql;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.monotick;
  exports dev.monotick.audit;
  exports dev.monotick.event;
  exports dev.monotick.job;
  exports dev.monotick.job.store;
  exports dev.monotick.leader;
  exports dev.monotick.ledger;
  exports dev.monotick.memory;
  exports dev.monotick.metric;
  exports dev.monotick.replica;
  exports dev.monotick.schedule;
  exports dev.monotick.store;
  exports dev.monotick.task;
  exports dev.monotick.time;
  exports dev.monotick.job.internal to
      dev.monotick.postgres;
  exports dev.monotick.ledger.internal to
      dev.monotick.postgres;
  exports dev.monotick.thread to
      dev.monotick.testkit;

  uses dev.monotick.job.PayloadCodec;
}
