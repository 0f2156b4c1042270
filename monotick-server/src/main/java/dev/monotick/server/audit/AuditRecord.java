package dev.monotick.server.audit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;

/**
 * Something that is on record: an entry with its place in the chain.
 *
 * @param seq its number in the tenant's chain, from 1, without gaps
 * @param at when, by the database's clock
 * @param tenant whose; empty for the whole installation
 * @param actor who
 * @param actorType KEY, USER, AGENT or SYSTEM
 * @param action what
 * @param subject to what
 * @param detail JSON, letter by letter as it was hashed
 * @param previous the hash of the event before it, in hexadecimal; empty for the first
 * @param hash its own
 */
record AuditRecord(
    long seq,
    Instant at,
    String tenant,
    String actor,
    String actorType,
    String action,
    String subject,
    String detail,
    String previous,
    String hash) {

  static final String COLUMNS =
      "seq, at, tenant, actor, actor_type, action, subject, detail, previous, hash";

  static AuditRecord of(ResultSet row, int number) throws SQLException {
    HexFormat hex = HexFormat.of();
    return new AuditRecord(
        row.getLong("seq"),
        row.getObject("at", OffsetDateTime.class).toInstant(),
        row.getString("tenant"),
        row.getString("actor"),
        row.getString("actor_type"),
        row.getString("action"),
        row.getString("subject"),
        row.getString("detail"),
        hex.formatHex(row.getBytes("previous")),
        hex.formatHex(row.getBytes("hash")));
  }

  /** Makes the one that follows an end of a chain. */
  static AuditRecord after(AuditChainPosition end, Instant at, AuditEntry entry, String detail) {
    AuditRecord open =
        new AuditRecord(
            end.seq() + 1,
            at,
            entry.tenant(),
            entry.actor(),
            entry.actorType(),
            entry.action(),
            entry.subject(),
            detail,
            end.hash(),
            "");
    return new AuditRecord(
        open.seq,
        open.at,
        open.tenant,
        open.actor,
        open.actorType,
        open.action,
        open.subject,
        open.detail,
        open.previous,
        open.computed());
  }

  /**
   * Computes what its hash must be: of the hash before it, and of its own values, each with its
   * length before it, so that no two events are the same text.
   */
  String computed() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(HexFormat.of().parseHex(previous));
      for (String each :
          List.of(
              tenant,
              String.valueOf(seq),
              at.toString(),
              actor,
              actorType,
              action,
              subject,
              detail)) {
        byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
        digest.update(bytes);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns the end of a chain whose last event this is. */
  AuditChainPosition end() {
    return new AuditChainPosition(seq, hash);
  }
}
