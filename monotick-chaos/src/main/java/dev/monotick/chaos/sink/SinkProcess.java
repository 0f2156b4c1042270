package dev.monotick.chaos.sink;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * The world as a process: takes effects over TCP, one line each, judges them, has each on disk
 * before it answers, and tells what it did.
 *
 * <p>A body announces an effect first (kind {@code prepare}) and sends it then (kind {@code
 * effect}). The parent may say {@code hold TASK}: the next announcement of that task is then not
 * answered until it says {@code release TASK}. That opens the gap between looking whether one may
 * act and acting, for as long as a test likes.
 */
public final class SinkProcess {

  private final HistoryWriter teller = new HistoryWriter();
  private final EffectFence gatekeeper = new EffectFence(); // guarded by this
  private final EffectFile file;
  private final Map<String, CountDownLatch> holds = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

  private SinkProcess(EffectFile file) {
    this.file = file;
  }

  /** Starts a sink; the argument names the file for the effects. */
  public static void main(String[] arguments) throws IOException {
    SinkProcess sink = new SinkProcess(new EffectFile(Path.of(arguments[0])));
    // All addresses: replicas in another network namespace reach it by another one.
    ServerSocket server = new ServerSocket(0, 200, InetAddress.getByName("0.0.0.0"));
    sink.teller.write("listening", "port", server.getLocalPort());
    Thread acceptor = new Thread(() -> sink.accept(server), "sink-accept");
    acceptor.setDaemon(true);
    acceptor.start();
    ParentProcess.listen(sink::received);
  }

  private void received(String line) {
    String[] words = line.split(" ", -1);
    switch (words[0]) {
      case "hold" -> {
        holds.put(words[1], new CountDownLatch(1));
        teller.write("holding", "task", words[1]);
      }
      case "release" -> {
        holds.remove(words[1]);
        CountDownLatch latch = held.remove(words[1]);
        if (latch != null) {
          latch.countDown();
        }
        teller.write("released", "task", words[1]);
      }
      default -> throw new IllegalArgumentException("what is " + line + "?");
    }
  }

  private void accept(ServerSocket server) {
    while (true) {
      try {
        Socket socket = server.accept();
        Thread thread = new Thread(() -> serve(socket), "sink-serve");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        Runtime.getRuntime().halt(4); // without a sink no run can be judged
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        BufferedReader input =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      socket.setTcpNoDelay(true);
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        String answer = answer(HistoryEvent.parse(line));
        socket.getOutputStream().write((answer + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // The other side is gone: what it sent whole was judged.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String answer(HistoryEvent request) throws IOException, InterruptedException {
    if (request.kind().equals("prepare")) {
      holdBack(request);
      return "ok";
    }
    return judge(request).name();
  }

  private void holdBack(HistoryEvent request) throws InterruptedException {
    CountDownLatch latch = holds.remove(request.get("task"));
    if (latch != null) {
      held.put(request.get("task"), latch);
      teller.write(new HistoryEvent(System.nanoTime(), "held", request.fields()));
      latch.await();
    }
  }

  /** One at a time, so that the order in the file is the order of the world. */
  private synchronized EffectVerdict judge(HistoryEvent request) throws IOException {
    EffectVerdict verdict = gatekeeper.judge(SinkEffect.of(request));
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("verdict", verdict.name());
    fields.putAll(request.fields());
    HistoryEvent judged = new HistoryEvent(System.nanoTime(), "effect", fields);
    file.append(judged);
    teller.write(judged);
    return verdict;
  }
}
