package dev.monotick.server.agent;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent, for people.
 *
 * @param name what the tenant calls it
 * @param status ONLINE if it was heard within its limit, else OFFLINE
 * @param labels what it has
 * @param version of its program
 * @param capabilities what it can do
 * @param lastSeen when it was last heard; empty if it is only known from an inventory
 * @param leases how much work it has
 * @param boundTo who speaks for it: key/ID or user/SUBJECT; empty if nobody does yet
 * @param createdAt when it was first known
 * @param changes how often its description changed, its entity tag
 */
record AgentView(
    String name,
    String status,
    Map<String, String> labels,
    String version,
    List<String> capabilities,
    Optional<Instant> lastSeen,
    int leases,
    Optional<String> boundTo,
    Instant createdAt,
    long changes) {}
