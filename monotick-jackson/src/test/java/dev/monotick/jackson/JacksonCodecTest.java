package dev.monotick.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.PayloadCodec;
import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class JacksonCodecTest {

  record Mail(String to, int copies, Instant at, List<String> tags) {}

  /** Has itself inside. */
  static final class Loop {
    public Loop getSelf() {
      return this;
    }
  }

  private final PayloadCodec codec = new JacksonCodec();

  @Test
  void recordComesBackAsItWas() throws Exception {
    Mail mail = new Mail("ann@example.org", 2, Instant.parse("2026-01-01T00:00:00Z"), List.of("a"));
    assertThat(codec.decode(codec.encode(mail), Mail.class)).isEqualTo(mail);
  }

  @Test
  void fieldsOfANewerReplicaArePassedOver() throws Exception {
    byte[] newer = "{\"to\":\"ann\",\"copies\":1,\"urgent\":true}".getBytes(UTF_8);
    assertThat(codec.decode(newer, Mail.class).to()).isEqualTo("ann");
  }

  @Test
  void whatCannotBeWrittenIsRefused() {
    assertThatThrownBy(() -> codec.encode(new Loop())).isInstanceOf(RuntimeException.class);
  }

  @Test
  void codecIsFoundByItself() {
    assertThat(ServiceLoader.load(PayloadCodec.class).findFirst())
        .containsInstanceOf(JacksonCodec.class);
  }
}
