package dev.monotick.chaos.sink;

import dev.monotick.chaos.history.HistoryEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to the sink as the worst of bodies do: once it has begun, no interrupt stops it, and
 * between the announcement and the effect it does not look whether it still may. Thread-safe.
 */
public final class SinkClient {

  private final InetSocketAddress address;
  // Threads of its own: blocking calls on virtual threads end at an interrupt, these do not.
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "sink-client");
            thread.setDaemon(true);
            return thread;
          });

  /** Creates a client of the sink at that address. */
  public SinkClient(InetSocketAddress address) {
    this.address = address;
  }

  /** Sends an effect without announcing it. */
  public EffectVerdict send(SinkEffect effect) {
    return CompletableFuture.supplyAsync(() -> talk(effect, false, true), threads).join();
  }

  /** Announces an effect that will take place elsewhere, and waits for the answer. */
  public void announce(SinkEffect effect) {
    CompletableFuture.runAsync(() -> talk(effect, true, false), threads).join();
  }

  /** Announces an effect, waits for the answer, and sends it. */
  public EffectVerdict announceAndSend(SinkEffect effect) {
    return CompletableFuture.supplyAsync(() -> talk(effect, true, true), threads).join();
  }

  private EffectVerdict talk(SinkEffect effect, boolean announce, boolean send) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 5_000);
      socket.setTcpNoDelay(true);
      try (BufferedReader input =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
        if (announce) {
          ask(socket, input, effect.toEvent("prepare"));
        }
        return send
            ? EffectVerdict.valueOf(ask(socket, input, effect.toEvent("effect")))
            : EffectVerdict.ACCEPTED;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the sink at " + address + " does not answer", e);
    }
  }

  private static String ask(Socket socket, BufferedReader input, HistoryEvent question)
      throws IOException {
    socket.getOutputStream().write((question.line() + "\n").getBytes(StandardCharsets.UTF_8));
    @Nullable String answer = input.readLine();
    if (answer == null) {
      throw new IOException("the sink hung up");
    }
    return answer;
  }
}
