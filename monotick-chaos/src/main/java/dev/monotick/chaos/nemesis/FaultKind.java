package dev.monotick.chaos.nemesis;

import java.util.Locale;

/** What can be done to a cluster, and its number in the catalogue of faults. */
public enum FaultKind {
  /** SIGKILL to any replica. */
  KILL("F1", 2),
  /** SIGKILL to the leader. */
  KILL_LEADER("F1", 3),
  /** SIGKILL to the leader between looking whether it may act and acting. */
  KILL_MID_EFFECT("F1", 2),
  /** SIGKILL to a replica in the moment in which it commits a claim. */
  KILL_MID_CLAIM("F1", 2),
  /** SIGSTOP of the leader for 0.9 leases. */
  PAUSE_SHORT("F2", 2),
  /** SIGSTOP of the leader for 1.1 leases. */
  PAUSE_LEASE("F2", 2),
  /** SIGSTOP of the leader for 3 leases. */
  PAUSE_LONG("F2", 2),
  /** SIGSTOP of any replica for 10 leases. */
  PAUSE_VERY_LONG("F2", 1),
  /** SIGSTOP of the leader between looking and acting, until another one has acted. */
  PAUSE_BEFORE_EFFECT("F3", 4),
  /** A replica gets a twentieth of its processor time. */
  STARVE("F4", 2),
  /** Packets vanish between the leader and the database, both ways. */
  PARTITION("F5", 3),
  /** What the leader sends vanishes. */
  PARTITION_REQUESTS("F6", 2),
  /** What the leader is answered vanishes. */
  PARTITION_REPLIES("F6", 2),
  /** The way from the leader is held up, and all arrives late: old renewals after the takeover. */
  PARTITION_LATE("F8", 2),
  /**
   * The leader is cut off for longer than its lease. It comes back by new connections first; what
   * was sent on the old ones arrives up to three leases later, as TCP has it.
   */
  PARTITION_STRANDED("F8", 2),
  /** Several replicas are cut off and healed, quickly and in no order. */
  FLAP("F7", 1),
  /** Answers take from half to twice the time that an attempt to renew may take. */
  DELAY("F8", 2),
  /** Connections are cut during COMMIT, before the server saw it and after it obeyed, in turn. */
  COMMIT_CUT("F9", 3),
  /** All processes of the server are stopped for a while. */
  SERVER_FREEZE("F10", 1),
  /** SIGKILL to all processes of the server. */
  SERVER_KILL("F10", 1),
  /** The server is stopped at once and started again. */
  SERVER_RESTART("F10", 1),
  /** The standby, which was cut off before, takes the place of the server, which is killed. */
  FAILOVER("F11", 0),
  /** One session of the leader is ended by the server. */
  TERMINATE_ONE("F10", 2),
  /** All sessions of the leader are ended by the server. */
  TERMINATE_ALL("F10", 1),
  /** The wall clock of the leader is set ahead or back, and later right again. */
  CLOCK_STEP("F14", 2),
  /** The wall clock of a replica jumps to and fro. */
  CLOCK_STROBE("F14", 1),
  /** A replica is started again with clocks that run faster or slower, by less than 5 %. */
  CLOCK_RATE("F15", 1),
  /** The same, by 20 to 25 %, which is more than is promised to be borne. */
  CLOCK_RATE_BEYOND("F15", 1),
  /** All replicas are stopped and started again, one after the other. */
  ROLLING_RESTART("F17", 1),
  /** A second replica is started that calls itself as another one does. */
  TWIN("F17", 1),
  /** Many more replicas are started at once, and killed a little later. */
  CROWD("F17", 1),
  /** The program is deployed anew, with another schedule for one of its tasks. */
  EDIT("F19", 1),
  /** The application has no connections left for its own work. */
  POOL_EXHAUSTED("F22", 1);

  private final String number;
  private final int weight;

  FaultKind(String number, int weight) {
    this.number = number;
    this.weight = weight;
  }

  /** Returns its number in the catalogue. */
  public String number() {
    return number;
  }

  /** Returns how often it is in a deck of faults. */
  int weight() {
    return weight;
  }

  /** Returns its name for people. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
