package dev.monotick.server.execution;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Optional;

/**
 * What came out of a call.
 *
 * @param status the answer's status
 * @param body its beginning, as text
 * @param truncated whether there was more
 * @param retryAfter what it said about when to come again
 */
record HttpResponseData(
    int status, String body, boolean truncated, @JsonIgnore Optional<String> retryAfter) {}
