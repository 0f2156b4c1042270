package dev.monotick.postgres.connection;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;

/** Counts how often the driver begins to wait for an answer after it has sent something. */
public final class CountingSockets extends SocketFactory {

  static final AtomicInteger ROUND_TRIPS = new AtomicInteger();

  @Override
  public Socket createSocket() {
    return new Counting();
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  private static final class Counting extends Socket {

    private boolean sent; // touched by one thread at a time, as a connection is

    @Override
    public OutputStream getOutputStream() throws IOException {
      return new FilterOutputStream(super.getOutputStream()) {
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          sent = true;
          out.write(bytes, offset, length);
        }

        @Override
        public void write(int value) throws IOException {
          sent = true;
          out.write(value);
        }
      };
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          if (sent) {
            sent = false;
            ROUND_TRIPS.incrementAndGet();
          }
          return in.read(target, offset, length);
        }
      };
    }
  }
}
