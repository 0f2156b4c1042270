package dev.monotick.postgres.leader;

import dev.monotick.spi.leader.Candidacy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** All candidacies of an election, so that none keeps its connection when the store is closed. */
final class OpenCandidacies implements AutoCloseable {

  private final Queue<Candidacy> open = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  <C extends Candidacy> C add(C candidacy) {
    open.add(candidacy);
    if (closed) { // looked at after adding, so that either this or close() sees it
      candidacy.close();
    }
    return candidacy;
  }

  void remove(Candidacy candidacy) {
    open.remove(candidacy);
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(Candidacy::close);
  }
}
