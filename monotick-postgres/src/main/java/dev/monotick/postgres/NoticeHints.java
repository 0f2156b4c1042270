package dev.monotick.postgres;

import dev.monotick.postgres.ledger.WaitingHints;
import dev.monotick.postgres.notice.Notices;
import java.sql.Connection;
import java.sql.SQLException;

/** Tells replicas of waiting ticks by a notice. */
final class NoticeHints implements WaitingHints {

  private static final String KIND = "waiting";

  private final Notices notices;

  NoticeHints(Notices notices) {
    this.notices = notices;
  }

  @Override
  public void tell(Connection connection) throws SQLException {
    notices.send(connection, KIND, "");
  }

  @Override
  public void listen(Runnable listener) {
    notices.listen(KIND, detail -> listener.run());
  }
}
