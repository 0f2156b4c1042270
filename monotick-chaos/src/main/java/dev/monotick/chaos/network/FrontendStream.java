package dev.monotick.chaos.network;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads what a PostgreSQL client sends, message by message, and knows which statements it runs: by
 * simple query, or parsed before and bound now.
 */
final class FrontendStream {

  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int LARGEST = 64 << 20;

  private final DataInputStream input;
  private final Map<String, String> statements = new HashMap<>();
  private final List<String> transaction = new ArrayList<>();
  private boolean started;

  FrontendStream(InputStream input) {
    this.input = new DataInputStream(input);
  }

  /** A message. */
  static final class Message {

    private final byte[] bytes;
    private final String statement;

    private Message(byte[] bytes, String statement) {
      this.bytes = bytes;
      this.statement = statement;
    }

    void writeTo(OutputStream output) throws IOException {
      output.write(bytes);
    }

    /** Says whether it has a COMMIT run. */
    boolean isCommit() {
      return statement.equals("commit");
    }
  }

  /** Returns the next message; throws at the end of the stream. */
  Message next() throws IOException {
    if (!started) {
      return startup();
    }
    byte type = input.readByte();
    byte[] bytes = body(1);
    bytes[0] = type;
    String statement = statement(type, ByteBuffer.wrap(bytes, 5, bytes.length - 5));
    if (statement.startsWith("begin")) {
      transaction.clear();
    }
    if (!statement.isEmpty()) {
      transaction.add(statement);
    }
    return new Message(bytes, statement);
  }

  /** Returns the statements since the transaction was begun, in lower case. */
  List<String> transaction() {
    return List.copyOf(transaction);
  }

  /** Says whether the rest of a message, or a further one, is there already. */
  boolean hasMore() throws IOException {
    return input.available() > 0;
  }

  private Message startup() throws IOException {
    byte[] bytes = body(0);
    int code = ByteBuffer.wrap(bytes).getInt(4);
    started = code != SSL_REQUEST && code != GSS_REQUEST; // after these it begins anew
    return new Message(bytes, "");
  }

  /** Reads length and body; leaves room for as many bytes in front. */
  private byte[] body(int room) throws IOException {
    int length = input.readInt();
    if (length < 4 || length > LARGEST) {
      throw new IOException("this is no PostgreSQL client: message of " + length + " bytes");
    }
    byte[] bytes = new byte[room + length];
    ByteBuffer.wrap(bytes).putInt(room, length);
    input.readFully(bytes, room + 4, length - 4);
    return bytes;
  }

  private String statement(byte type, ByteBuffer body) {
    switch (type) {
      case 'Q' -> {
        return normal(text(body));
      }
      case 'P' -> {
        String name = text(body);
        statements.put(name, normal(text(body)));
        return "";
      }
      case 'B' -> {
        String portal = text(body);
        return portal.isEmpty() ? statements.getOrDefault(text(body), "") : "";
      }
      default -> {
        return "";
      }
    }
  }

  private static String text(ByteBuffer body) {
    int end = body.position();
    while (body.get(end) != 0) {
      end++;
    }
    byte[] text = new byte[end - body.position()];
    body.get(text);
    body.get(); // the zero
    return new String(text, StandardCharsets.UTF_8);
  }

  private static String normal(String sql) {
    return sql.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }
}
