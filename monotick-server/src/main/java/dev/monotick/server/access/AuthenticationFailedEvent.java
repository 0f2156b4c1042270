package dev.monotick.server.access;

/**
 * Somebody gave a wrong key; told of at the first, second, fourth, eighth … in a row.
 *
 * @param address where he called from
 * @param claimed the name of the key he claimed to have, which is no secret; empty if it was none
 * @param failures how many there were in a row
 */
public record AuthenticationFailedEvent(String address, String claimed, long failures) {}
