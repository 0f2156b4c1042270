package dev.monotick.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.process.ParentProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All histories rest on this: the processes of a machine read the same monotonic clock. */
class MonotonicClockTest {

  @Test
  void aReadingOfAnotherProcessLiesBetweenTwoOfOurs(@TempDir Path folder) {
    Journal journal = new Journal();
    try (ChildProcess process =
        ChildProcess.start(
            JavaProgram.of("clock", Clock.class, List.of(), folder.resolve("err")),
            line -> journal.add("clock", HistoryEvent.parse(line)))) {
      for (int i = 0; i < 20; i++) {
        int mark = journal.mark();
        long before = System.nanoTime();
        process.send("what time is it?");
        HistoryEvent answer =
            journal
                .await("reading", Duration.ofSeconds(30), mark, entry -> entry.is("now"))
                .event();
        assertThat(answer.nanos()).isBetween(before, System.nanoTime());
      }
    }
  }

  /** Tells its reading of the clock whenever asked. */
  static final class Clock {

    private Clock() {}

    public static void main(String[] arguments) {
      HistoryWriter teller = new HistoryWriter();
      ParentProcess.listen(line -> teller.write("now"));
    }
  }
}
