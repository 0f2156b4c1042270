package dev.monotick.jackson;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.PayloadCodec;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes payloads of jobs as JSON. Found by itself when it is on the class path. Fields it does not
 * know are passed over when it reads, so that a replica of yesterday can run a job of today.
 */
public final class JacksonCodec implements PayloadCodec {

  private final JsonMapper mapper;
  private final ClassValue<ObjectReader> readers =
      new ClassValue<>() {
        @Override
        protected ObjectReader computeValue(Class<?> type) {
          return mapper.readerFor(type);
        }
      };

  /** Uses a mapper of its own. */
  public JacksonCodec() {
    this(JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build());
  }

  /** Uses the application's mapper. */
  public JacksonCodec(JsonMapper mapper) {
    this.mapper = requireNonNull(mapper, "mapper");
  }

  @Override
  public byte[] encode(Object value) {
    return mapper.writeValueAsBytes(value);
  }

  @Override
  public <T> T decode(byte[] bytes, Class<T> type) {
    return readers.get(type).readValue(bytes);
  }
}
