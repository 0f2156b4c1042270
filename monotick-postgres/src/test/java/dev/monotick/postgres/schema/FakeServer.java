package dev.monotick.postgres.schema;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Listens on a port and answers every connection with the same few bytes. */
final class FakeServer implements AutoCloseable {

  private static final int ENCRYPTION_REQUESTS = 80877000; // SSL and GSS, just above

  private final ServerSocket socket;

  private FakeServer(Answer answer) throws IOException {
    socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(() -> serve(answer));
    thread.setDaemon(true);
    thread.start();
  }

  /** A PostgreSQL server that refuses everybody with that error. */
  static FakeServer refusing(String state, String message) throws IOException {
    return new FakeServer(
        (in, out) -> {
          readStartup(in, out);
          ByteArrayOutputStream fields = new ByteArrayOutputStream();
          for (String field : new String[] {"SFATAL", "VFATAL", "C" + state, "M" + message, ""}) {
            fields.writeBytes(field.getBytes(StandardCharsets.UTF_8));
            fields.write(0);
          }
          out.write('E');
          out.writeInt(4 + fields.size());
          fields.writeTo(out);
        });
  }

  /** A PostgreSQL server that wants a password in clear text. */
  static FakeServer askingForPassword() throws IOException {
    return new FakeServer(
        (in, out) -> {
          readStartup(in, out);
          out.write('R');
          out.writeInt(8);
          out.writeInt(3);
        });
  }

  private static void readStartup(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      int length = in.readInt();
      int code = in.readInt();
      in.skipNBytes(length - 8);
      if (code < ENCRYPTION_REQUESTS) {
        return;
      }
      out.write('N');
      out.flush();
    }
  }

  /** Something that is no PostgreSQL server. */
  static FakeServer ofHttp() throws IOException {
    return new FakeServer(
        (in, out) -> {
          in.readInt();
          out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        });
  }

  /** Something that closes each connection at once. */
  static FakeServer silent() throws IOException {
    return new FakeServer((in, out) -> {});
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:" + socket.getLocalPort() + "/db";
  }

  private void serve(Answer answer) {
    while (!socket.isClosed()) {
      try (Socket client = socket.accept()) {
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        answer.give(new DataInputStream(client.getInputStream()), out);
        out.flush();
        client.shutdownOutput();
        client.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      } catch (IOException e) {
        // the client or the test has gone
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private interface Answer {
    void give(DataInputStream in, DataOutputStream out) throws IOException;
  }
}
