package dev.monotick.engine.client;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.monotick.Monotick;
import dev.monotick.job.JobKind;
import dev.monotick.job.PayloadCodec;
import dev.monotick.memory.InMemoryStore;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What cannot be written is refused where the job is added, by the name of the field. */
class PayloadsTest {

  private record Letter(String to) {}

  private static final JobKind<Letter> KIND = JobKind.named("mail", Letter.class);
  private static final String REFUSED =
      "payload of type " + Letter.class.getName() + " cannot be written: ";

  @Test
  void failureOfTheCodecNamesThePayload() {
    IOException failure = new IOException("no such field");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                enqueue(
                    value -> {
                      throw failure;
                    }))
        .withMessage(REFUSED + failure)
        .withCause(failure);
  }

  @Test
  void payloadThatRefersToItselfIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                enqueue(
                    value -> {
                      throw new StackOverflowError();
                    }))
        .withMessage(REFUSED + "it refers to itself");
  }

  @Test
  @SuppressWarnings("NullAway") // a codec that nobody checked
  void codecThatGivesNothingIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> enqueue(value -> null))
        .withMessageStartingWith(REFUSED)
        .withMessageEndingWith("the codec gave null");
  }

  @Test
  void payloadThatIsTooLargeIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> enqueue(value -> new byte[Payloads.LARGEST + 1]))
        .withMessage(
            "payload must be at most 1048576 bytes, but was 1048577;"
                + " store it elsewhere and give the job its name");
  }

  @Test
  void payloadThatNeedsACodecIsNamedIfThereIsNone() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Monotick.jobs(InMemoryStore.create()).enqueue(KIND.of(new Letter("ann"))))
        .withMessageStartingWith("payload of type " + Letter.class.getName() + " needs a codec");
  }

  private interface Encoding {
    byte[] encode(Object value) throws Exception;
  }

  private static void enqueue(Encoding encoding) {
    PayloadCodec codec =
        new PayloadCodec() {
          @Override
          public byte[] encode(Object value) throws Exception {
            return encoding.encode(value);
          }

          @Override
          public <T> T decode(byte[] bytes, Class<T> type) {
            throw new UnsupportedOperationException();
          }
        };
    Monotick.jobs(InMemoryStore.create(), codec).enqueue(KIND.of(new Letter("ann")));
  }
}
