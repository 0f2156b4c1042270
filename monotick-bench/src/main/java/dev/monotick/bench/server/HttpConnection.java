package dev.monotick.bench.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One connection of HTTP/1.1 that is kept. As little as possible, since it shares its processors
 * with what it measures. Not thread-safe.
 */
final class HttpConnection implements AutoCloseable {

  private final int port;
  private Socket socket;
  private InputStream in;
  private boolean closing; // the server said that it ends this connection

  /**
   * An answer.
   *
   * @param status its status
   * @param body its body
   */
  record Answer(int status, String body) {}

  HttpConnection(int port) throws IOException {
    this.port = port;
    this.socket = connected(port);
    this.in = new BufferedInputStream(socket.getInputStream(), 16_384);
  }

  private static Socket connected(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(30_000);
    return socket;
  }

  Answer call(String method, String path, String key, String body) throws IOException {
    if (closing) {
      socket.close();
      socket = connected(port);
      in = new BufferedInputStream(socket.getInputStream(), 16_384);
      closing = false;
    }
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + key
            + "\r\n"
            + (content.length == 0
                ? ""
                : "Content-Type: application/json\r\nContent-Length: " + content.length + "\r\n")
            + "\r\n";
    ByteArrayOutputStream out = new ByteArrayOutputStream(head.length() + content.length);
    out.write(head.getBytes(StandardCharsets.ISO_8859_1));
    out.write(content);
    out.writeTo(socket.getOutputStream());
    return answer();
  }

  private Answer answer() throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    boolean chunked = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
      closing |= lower.startsWith("connection:") && lower.contains("close");
      chunked |= lower.startsWith("transfer-encoding:") && lower.contains("chunked");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (chunked) {
      for (int size = size(); size > 0; size = size()) {
        body.write(exactly(size));
        line();
      }
      line();
    } else {
      body.write(exactly(length));
    }
    return new Answer(status, body.toString(StandardCharsets.UTF_8));
  }

  private int size() throws IOException {
    return Integer.parseInt(line().strip(), 16);
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the answer ended early");
    }
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection was closed");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
