package dev.monotick.postgres.embedded;

/**
 * A server that was seen running.
 *
 * @param postmaster its first process
 * @param connection how to reach it
 * @param wasRunning whether it was found, not started
 */
record RunningServer(Postmaster postmaster, ConnectionFile connection, boolean wasRunning) {}
