package dev.monotick.server.agent;

/**
 * Names an agent.
 *
 * @param tenant whose it is
 * @param name what the tenant calls it
 */
record AgentName(String tenant, String name) {}
