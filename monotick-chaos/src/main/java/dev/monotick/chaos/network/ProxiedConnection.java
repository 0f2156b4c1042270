package dev.monotick.chaos.network;

import dev.monotick.chaos.process.Waiting;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** One connection through a {@link FaultProxy}. */
final class ProxiedConnection {

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;

  private final TrafficSwitch own = new TrafficSwitch(); // beside those of the proxy
  private final AtomicInteger pumping = new AtomicInteger(2);

  /** Set while the reply to a COMMIT is awaited that nobody shall hear. */
  private volatile boolean swallowing;

  ProxiedConnection(FaultProxy proxy, Socket client, Socket server) {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
  }

  void strand(boolean stranded) {
    own.set(!stranded);
  }

  void abandon() {
    own.remove();
  }

  private boolean pass(TrafficSwitch gate) {
    return gate.pass() && own.pass();
  }

  /** Returns the port by which the server knows it. */
  int serverPort() {
    return server.getLocalPort();
  }

  /** Hands on what the client sends, until one side is gone. */
  void pumpRequests() {
    try {
      FrontendStream input =
          new FrontendStream(new BufferedInputStream(client.getInputStream(), 1 << 16));
      OutputStream output = new BufferedOutputStream(server.getOutputStream(), 1 << 16);
      while (true) {
        FrontendStream.Message message = input.next();
        if (!pass(proxy.requests())) {
          return;
        }
        CommitCut cut = message.isCommit() ? proxy.cutFor(input.transaction()) : null;
        if (cut == CommitCut.BEFORE) {
          reset();
          return;
        }
        if (cut == CommitCut.AFTER) {
          swallowing = true; // before it is sent, so that no reply slips through
        }
        message.writeTo(output);
        if (!input.hasMore()) {
          output.flush();
        }
      }
    } catch (EOFException e) {
      hangUp(proxy.requests(), server);
    } catch (IOException e) {
      giveUp(proxy.requests());
    } finally {
      pumpEnded();
    }
  }

  /** Hands on what the server sends, until one side is gone. */
  void pumpReplies() {
    byte[] buffer = new byte[1 << 14];
    try {
      InputStream input = server.getInputStream();
      OutputStream output = client.getOutputStream();
      for (int read = input.read(buffer); read >= 0; read = input.read(buffer)) {
        if (swallowing) {
          reset();
          return;
        }
        if (!pass(proxy.replies())) {
          return;
        }
        Waiting.let(proxy.replyDelay());
        output.write(buffer, 0, read);
      }
      hangUp(proxy.replies(), client);
    } catch (IOException e) {
      giveUp(proxy.replies());
    } finally {
      pumpEnded();
    }
  }

  private void pumpEnded() {
    if (pumping.decrementAndGet() == 0) {
      reset(); // both sides have said that they are done, or are gone
      proxy.ended(this);
    }
  }

  void reset() {
    reset(client);
    reset(server);
  }

  /** Closes a socket with RST, which the other side hears as an error. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // Closed already.
    }
  }

  /** The end of a stream is a message like any other, and held up as these are. */
  private void hangUp(TrafficSwitch gate, Socket other) {
    if (pass(gate)) {
      try {
        other.shutdownOutput();
      } catch (IOException e) {
        // Gone already.
      }
    }
  }

  private void giveUp(TrafficSwitch gate) {
    if (pass(gate)) {
      reset();
    }
  }
}
