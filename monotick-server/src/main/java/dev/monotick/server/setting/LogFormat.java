package dev.monotick.server.setting;

/** How log lines look. */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** One JSON object a line, as Elastic's common schema has it. */
  JSON
}
