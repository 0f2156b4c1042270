package dev.monotick.postgres;

/** Who brings the schema up to date. */
public enum SchemaChanges {
  /** Whichever replica starts first; the others wait for it. */
  APPLY,
  /** Somebody else, beforehand; a replica only checks, and needs no right to change tables. */
  VERIFY
}
