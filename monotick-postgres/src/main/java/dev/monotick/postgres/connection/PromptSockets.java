package dev.monotick.postgres.connection;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Properties;
import javax.net.SocketFactory;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Sockets on which a notice is heard of at once. After each notice the driver looks whether there
 * is another one, by a read that may take a millisecond, and tells of the first one only after that
 * (42.7.14, {@code PGStream.hasMessagePending}; it means to do so once a second, but forgets when
 * it did). Nothing else of the driver reads for a millisecond: such a read gives what has arrived.
 *
 * <p>Public only because the driver must be able to create it.
 */
public final class PromptSockets extends SocketFactory {

  private static final int PROBE_MILLIS = 1;

  /** A layer for encryption reads the head of a record apart; what it does is left alone. */
  private static final int HEAD = 5;

  /** Called by the driver. */
  public PromptSockets() {}

  /** Has the driver use these sockets, if it can see this class; applications differ in that. */
  static void useIn(Properties properties) {
    try {
      ClassLoader loader = Driver.class.getClassLoader();
      if (Class.forName(PromptSockets.class.getName(), false, loader) == PromptSockets.class) {
        PGProperty.SOCKET_FACTORY.set(properties, PromptSockets.class.getName());
      }
    } catch (ClassNotFoundException e) {
      // A driver that many applications share: notices come a millisecond later.
    }
  }

  @Override
  public Socket createSocket() {
    return new PromptSocket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return SocketFactory.getDefault().createSocket(host, port);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return SocketFactory.getDefault().createSocket(host, port, local, localPort);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return SocketFactory.getDefault().createSocket(host, port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return SocketFactory.getDefault().createSocket(host, port, local, localPort);
  }

  private static final class PromptSocket extends Socket {

    private volatile int timeoutMillis;

    @Override
    public synchronized void setSoTimeout(int timeout) throws SocketException {
      super.setSoTimeout(timeout);
      timeoutMillis = timeout;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new PromptInput(super.getInputStream());
    }

    private final class PromptInput extends FilterInputStream {

      private boolean layered; // read by one thread at a time, as all streams of a driver are

      PromptInput(InputStream in) {
        super(in);
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        layered |= length <= HEAD;
        if (timeoutMillis == PROBE_MILLIS && !layered && in.available() == 0) {
          throw new SocketTimeoutException("nothing has arrived");
        }
        return in.read(target, offset, length);
      }
    }
  }
}
