package dev.monotick.server.event;

import dev.monotick.server.audit.AuditFeed;
import dev.monotick.server.audit.AuditView;
import java.util.List;

/** The newest events of a tenant, read once for all who listen. Thread-safe. */
final class EventTail {

  private static final int PAGE = 500;

  private final AuditFeed feed;
  private final String tenant;
  private List<AuditView> page = List.of(); // guarded by this

  EventTail(AuditFeed feed, String tenant) {
    this.feed = feed;
    this.tenant = tenant;
  }

  /** Returns some events after a number; whoever is far behind has them read for himself. */
  synchronized List<AuditView> after(long seq) {
    if (page.isEmpty() || seq < page.get(0).seq() - 1 || seq >= page.get(page.size() - 1).seq()) {
      List<AuditView> read = feed.after(tenant, seq, PAGE);
      if (page.isEmpty() || (!read.isEmpty() && seq >= page.get(page.size() - 1).seq())) {
        page = read;
      }
      return read;
    }
    return page.subList((int) (seq + 1 - page.get(0).seq()), page.size());
  }
}
