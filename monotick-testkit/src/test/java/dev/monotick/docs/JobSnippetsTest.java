package dev.monotick.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.job.PayloadCodec;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.work.RetryPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Java of docs/learn/jobs.md is a piece of this file, and runs. */
class JobSnippetsTest {

  private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static final Pattern PIECES = Pattern.compile("(?<=\\.build\\(\\);)\n");

  static final JobKind<Mail> MAIL =
      JobKind.named("mail", Mail.class)
          .queue("mail")
          .maxAttempts(5)
          .timeout(Duration.ofSeconds(30))
          .retry(RetryPolicy.exponential(Duration.ofSeconds(5), Duration.ofMinutes(10)));

  record Mail(String to, String text) {}

  interface Mailer {
    void send(Mail mail, String key);
  }

  /** In place of Jackson, which is not here. */
  private static final class MailCodec implements PayloadCodec {
    @Override
    public byte[] encode(Object value) {
      Mail mail = (Mail) value;
      return (mail.to() + " " + mail.text()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> T decode(byte[] bytes, Class<T> type) {
      String[] parts = new String(bytes, StandardCharsets.UTF_8).split(" ", 2);
      return type.cast(new Mail(parts[0], parts[1]));
    }
  }

  private final List<String> sent = new ArrayList<>();
  private final Mailer mailer = (mail, key) -> sent.add(mail.to());

  @Test
  void handlerRuns() {
    ManualScheduler scheduler = new ManualScheduler();
    InMemoryStore store = InMemoryStore.builder().time(scheduler.time().timeSource()).build();
    Monotick builtAsShown =
        Monotick.builder()
            .store(store) // the one all replicas share
            .handler(
                MAIL,
                job -> {
                  mailer.send(job.payload(), job.idempotencyKey());
                  return JobOutcome.done();
                })
            .build();
    builtAsShown.close();
    Monotick monotick =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .payloadCodec(new MailCodec())
            .handler(
                MAIL,
                job -> {
                  mailer.send(job.payload(), job.idempotencyKey());
                  return JobOutcome.done();
                })
            .build();
    monotick.start();
    monotick.jobs().enqueue(MAIL.of(new Mail("ann@example.org", "hello")));
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(sent).containsExactly("ann@example.org");
    monotick.close();
  }

  @Test
  void requestSaysMore() {
    Mail mail = new Mail("ann@example.org", "hello");
    Instant tomorrow = Instant.EPOCH.plus(Duration.ofDays(1));
    JobRequest<Mail> request =
        MAIL.of(mail)
            .delay(Duration.ofMinutes(10))
            .priority(2) // 0 is the most urgent, 9 can wait
            .tenant("acme")
            .uniqueKey("welcome-" + mail.to())
            .deadline(tomorrow);
    assertThat(request.lane().tenant()).isEqualTo("acme");
    assertThat(request.rules().deadline()).contains(tomorrow);
  }

  @Test
  void everySnippetIsPieceOfThisFile() throws IOException {
    String here =
        normal(Files.readString(Path.of("src/test/java/dev/monotick/docs/JobSnippetsTest.java")));
    Matcher block = JAVA_BLOCK.matcher(Files.readString(Path.of("../docs/learn/jobs.md")));
    int found = 0;
    while (block.find()) {
      found++;
      // What follows build() is further down here, on an engine in virtual time.
      for (String piece : PIECES.splitAsStream(block.group(1)).toList()) {
        assertThat(here).as("a snippet of jobs.md").contains(normal(piece));
      }
    }
    assertThat(found).isEqualTo(3);
  }

  private static String normal(String code) {
    return code.replaceAll("\\s+", "").replace("MonotickbuiltAsShown=", "Monotickmonotick=");
  }
}
