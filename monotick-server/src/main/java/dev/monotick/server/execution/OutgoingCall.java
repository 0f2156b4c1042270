package dev.monotick.server.execution;

import java.net.URI;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A call that is about to be made.
 *
 * @param method its method
 * @param url where to
 * @param body what is sent; empty for nothing
 * @param headers says what each request of it carries
 * @param end when its time is over, by the ticker
 * @param over whether nobody needs it any more
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
record OutgoingCall(
    String method, URI url, byte[] body, Headers headers, long end, BooleanSupplier over) {

  /** What a request carries. */
  @FunctionalInterface
  interface Headers {

    /**
     * Returns the headers of one request.
     *
     * @param home whether it goes to the service that the tenant named, and not to another one that
     *     this one has sent us to, which must hear no secrets
     */
    Map<String, String> of(String method, URI url, byte[] body, boolean home);
  }
}
