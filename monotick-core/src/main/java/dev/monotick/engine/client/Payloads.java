package dev.monotick.engine.client;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Payloads and results as bytes: strings and bytes as they are, the rest by a codec. */
public final class Payloads {

  /** The most bytes a payload or result may have. */
  static final int LARGEST = 1 << 20;

  private final @Nullable PayloadCodec codec;

  /** Creates one; without a codec, what the class path offers is used. */
  public Payloads(@Nullable PayloadCodec codec) {
    this.codec = codec == null ? found() : codec;
  }

  private static @Nullable PayloadCodec found() {
    Iterator<PayloadCodec> codecs =
        ServiceLoader.load(PayloadCodec.class, Payloads.class.getClassLoader()).iterator();
    return codecs.hasNext() ? codecs.next() : null;
  }

  /**
   * Writes a value.
   *
   * @param field what it is, for people
   * @throws IllegalArgumentException if it cannot be written, or is too large
   */
  public byte[] encode(String field, Object value) {
    byte[] bytes = bytes(field, value);
    if (bytes.length > LARGEST) {
      throw new IllegalArgumentException(
          field
              + " must be at most "
              + LARGEST
              + " bytes, but was "
              + bytes.length
              + "; store it elsewhere and give the job its name");
    }
    return bytes;
  }

  private byte[] bytes(String field, Object value) {
    if (value instanceof byte[] bytes) {
      return bytes.clone();
    }
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    PayloadCodec chosen = codec(field, value.getClass());
    try {
      return requireNonNull(chosen.encode(value), "the codec gave null");
    } catch (Exception e) {
      throw new IllegalArgumentException(
          field + " of type " + value.getClass().getName() + " cannot be written: " + e, e);
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException(
          field
              + " of type "
              + value.getClass().getName()
              + " cannot be written: it refers to itself",
          e);
    }
  }

  /** Reads a value. */
  public <T> T decode(byte[] bytes, Class<T> type) throws Exception {
    if (type == byte[].class) {
      return type.cast(bytes);
    }
    if (type == String.class) {
      return type.cast(new String(bytes, StandardCharsets.UTF_8));
    }
    return codec("payload", type).decode(bytes, type);
  }

  private PayloadCodec codec(String field, Class<?> type) {
    if (codec == null) {
      throw new IllegalStateException(
          field
              + " of type "
              + type.getName()
              + " needs a codec; add monotick-jackson to the class path, or give a payloadCodec");
    }
    return codec;
  }
}
