package dev.monotick.testkit;

import java.util.List;

/** What a message is about. */
enum Call {
  JOIN("joining"),
  BEAT("heartbeat"),
  LEAVE("leaving"),
  ATTEMPT("attempt at leadership"),
  RENEW("renewal of leadership"),
  RELEASE("release of leadership"),
  CLAIM("claim"),
  TAKE("take"),
  ACCOUNT("accounting"),
  REPORT("report"),
  RESCUE("rescue"),
  RESCUE_JOBS("rescue of jobs"),
  CLAIM_JOBS("claim of jobs"),
  COMPLETE_JOBS("completion of jobs"),
  WITHDRAW("withdrawal of an offer"),
  NOTE("notes of jobs"),
  COUNT_JOBS("counting jobs"),
  REGISTER("registration"),
  READ("reading of states"),
  UPDATE("update of the replica");

  private static final List<Call> ALL = List.of(values());

  private final String text;

  Call(String text) {
    this.text = text;
  }

  static Call of(String what) {
    for (int i = 0; i < ALL.size(); i++) {
      Call call = ALL.get(i);
      if (call.text.length() == what.length() ? call.text.equals(what) : call.isLed(what)) {
        return call;
      }
    }
    throw new IllegalArgumentException("a call that the simulation does not know: " + what);
  }

  private boolean isLed(String what) {
    return text.endsWith("leadership") && what.startsWith(text);
  }

  /** Says whether it asks for work. */
  boolean claims() {
    return this == CLAIM || this == TAKE || this == CLAIM_JOBS;
  }
}
