package dev.monotick.chaos.network;

/** What becomes of bytes between a client and its server. */
public enum ProxyBehaviour {
  /** They arrive. */
  PASSING(true, true),
  /** None arrive, in either direction; nobody is told. */
  CUT_BOTH_WAYS(false, false),
  /** What the client sends does not arrive; what the server sends does. */
  CUT_REQUESTS(false, true),
  /** What the client sends arrives; what the server sends does not. */
  CUT_REPLIES(true, false);

  final boolean requestsPass;
  final boolean repliesPass;

  ProxyBehaviour(boolean requestsPass, boolean repliesPass) {
    this.requestsPass = requestsPass;
    this.repliesPass = repliesPass;
  }
}
