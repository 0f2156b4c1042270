package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.yesNo;

import java.util.List;

/** What can be set about how jobs are run. */
public final class ExecutionSettings {

  /** Whether outgoing calls may go to this machine and private networks. */
  public static final Setting<Boolean> HTTP_PRIVATE =
      yesNo("monotick.http.allow-private", false, "whether HTTP jobs may call private addresses");

  /** All of them. */
  static final List<Setting<?>> ALL = List.of(HTTP_PRIVATE);

  private ExecutionSettings() {}
}
