package dev.monotick.server.audit;

import tools.jackson.databind.JsonNode;

/**
 * Something that was done, as REST has it.
 *
 * @param seq its number in the chain
 * @param at when
 * @param actor who
 * @param actorType KEY, USER, AGENT or SYSTEM
 * @param action what
 * @param subject to what
 * @param detail what else is known
 * @param hash its hash in hexadecimal
 */
public record AuditView(
    long seq,
    String at,
    String actor,
    String actorType,
    String action,
    String subject,
    JsonNode detail,
    String hash) {}
