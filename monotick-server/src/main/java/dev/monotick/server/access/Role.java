package dev.monotick.server.access;

/** What somebody may do; each may also do what those after it may, but for agents. */
public enum Role {
  /** Everything of a tenant, also its keys and quotas; without a tenant, everything. */
  ADMIN,
  /** Change schedules and jobs, and operate them. */
  OPERATOR,
  /** Look. */
  VIEWER,
  /** Take jobs as an agent, and nothing else. */
  AGENT;

  /** Says whether this role is enough where that one is needed. */
  public boolean covers(Role needed) {
    return this == needed
        || (this != AGENT && needed != AGENT && compareTo(needed) < 0)
        || (this == ADMIN && needed == AGENT);
  }
}
