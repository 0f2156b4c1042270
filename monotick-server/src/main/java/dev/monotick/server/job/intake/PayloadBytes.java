package dev.monotick.server.job.intake;

import dev.monotick.jackson.JacksonCodec;
import dev.monotick.server.problem.Problem;
import java.nio.charset.StandardCharsets;
import org.springframework.stereotype.Component;

/** Payloads as the engine has them: texts and bytes as they are, the rest as JSON. */
@Component
class PayloadBytes {

  private static final int LARGEST = 1 << 20;

  private final JacksonCodec codec = new JacksonCodec();

  byte[] of(Object payload) {
    byte[] bytes =
        payload instanceof byte[] raw
            ? raw.clone()
            : payload instanceof String text
                ? text.getBytes(StandardCharsets.UTF_8)
                : codec.encode(payload);
    if (bytes.length > LARGEST) {
      throw Problem.invalid(
          "payload",
          "payload must be at most "
              + LARGEST
              + " bytes, but was "
              + bytes.length
              + "; store it elsewhere and give the job its address");
    }
    return bytes;
  }
}
