package dev.monotick.job;

/**
 * Turns payloads and results into bytes and back. The module monotick-jackson has one for records
 * and the like, which is found by itself; strings and bytes need none. Thread-safe; anybody may
 * implement it.
 */
public interface PayloadCodec {

  /**
   * Writes a value.
   *
   * @throws Exception if it cannot; the job is refused, and the message goes to the caller
   */
  byte[] encode(Object value) throws Exception;

  /**
   * Reads a value.
   *
   * @throws Exception if it cannot; the job fails for good
   */
  <T> T decode(byte[] bytes, Class<T> type) throws Exception;
}
