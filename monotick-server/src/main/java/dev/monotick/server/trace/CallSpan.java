package dev.monotick.server.trace;

import java.util.Map;

/** A request to somebody else, while it is made. Used by one thread. */
public interface CallSpan extends AutoCloseable {

  /** Returns the headers that make the called service part of the trace; none if it is off. */
  Map<String, String> headers();

  /** Takes note of the answer. */
  void answered(int status);

  /**
   * Takes note that there was none.
   *
   * @param how a word for what happened
   */
  void failed(String how);

  @Override
  void close();
}
