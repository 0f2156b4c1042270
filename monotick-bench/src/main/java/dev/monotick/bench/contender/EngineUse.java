package dev.monotick.bench.contender;

/** What an engine is to be good at, where its settings differ by that. */
public enum EngineUse {
  /** As many jobs as possible in a time. */
  DRAIN,
  /** A job is to begin soon after it was added by another process. */
  PICKUP,
  /** Nothing to do, with the settings that an engine has by default. */
  IDLE
}
