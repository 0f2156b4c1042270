package dev.monotick.chaos.network;

/** When a connection is cut around a COMMIT. */
public enum CommitCut {
  /** The server never sees it: the transaction is rolled back. */
  BEFORE,
  /** The server has committed; the client never hears of it. */
  AFTER
}
