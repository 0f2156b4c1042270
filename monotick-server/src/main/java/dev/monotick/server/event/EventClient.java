package dev.monotick.server.event;

import dev.monotick.server.audit.AuditView;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Somebody who listens. One thread at a time writes to him; it takes what he has not seen yet from
 * the tail, so that nothing waits in memory for those who are slow.
 */
final class EventClient {

  private final String tenant;
  private final SseEmitter emitter;
  private final long openedAt;
  private final AtomicLong busySince = new AtomicLong(); // 0 while nobody writes
  private volatile long seq;
  private volatile long lastSentAt;

  EventClient(String tenant, long seq, SseEmitter emitter, long now) {
    this.tenant = tenant;
    this.seq = seq;
    this.emitter = emitter;
    this.openedAt = now;
    this.lastSentAt = now;
  }

  String tenant() {
    return tenant;
  }

  long seq() {
    return seq;
  }

  long openedAt() {
    return openedAt;
  }

  long lastSentAt() {
    return lastSentAt;
  }

  /** Returns since when he has not taken what was written to him; 0 if he has. */
  long busySince() {
    return busySince.get();
  }

  /** Makes the caller the one who writes; false if somebody is. */
  boolean begin(long now) {
    return busySince.compareAndSet(0, now == 0 ? 1 : now);
  }

  void end(long now) {
    lastSentAt = now;
    busySince.set(0);
  }

  /** Writes all that there is after what he has seen. */
  void send(EventTail tail) throws IOException {
    for (List<AuditView> some = tail.after(seq); !some.isEmpty(); some = tail.after(seq)) {
      for (AuditView each : some) {
        emitter.send(
            SseEmitter.event()
                .id(String.valueOf(each.seq()))
                .name(each.action())
                .data(each, MediaType.APPLICATION_JSON));
        seq = each.seq();
      }
    }
  }

  /** Writes something that means nothing, so that both ends know that the other is there. */
  void heartbeat() throws IOException {
    emitter.send(SseEmitter.event().comment("still here"));
  }

  void close() {
    emitter.complete();
  }
}
