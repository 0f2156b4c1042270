package dev.monotick.server.audit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * Up to where a chain goes, or was looked at.
 *
 * @param seq the number of the last event; 0 if there is none
 * @param hash its hash in hexadecimal; empty if there is none
 */
record AuditChainPosition(long seq, String hash) {

  static final AuditChainPosition NONE = new AuditChainPosition(0, "");

  static AuditChainPosition of(ResultSet row, int number) throws SQLException {
    return new AuditChainPosition(
        row.getLong("seq"), HexFormat.of().formatHex(row.getBytes("hash")));
  }
}
