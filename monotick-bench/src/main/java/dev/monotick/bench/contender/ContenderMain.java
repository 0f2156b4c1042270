package dev.monotick.bench.contender;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The process of a contender. Does what it is told on standard input, a command on each line, and
 * answers each with one line on standard output that begins with {@code @}.
 */
public final class ContenderMain {

  private final JobEngine engine;
  private final JobSenders senders;
  private @Nullable RunCounter tally;

  private ContenderMain(JobEngine engine) {
    this.engine = engine;
    this.senders = new JobSenders(engine);
  }

  /** Runs the engine of that name until it is told to stop, or nobody is there to tell. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (JobEngine engine = engine(arguments[0], DatabaseAccess.of(System.getenv()))) {
      new ContenderMain(engine).serve(in, out);
    }
    // Some peers leave threads behind that would keep the process alive.
    System.exit(0);
  }

  private static JobEngine engine(String name, DatabaseAccess connect) throws SQLException {
    return switch (name) {
      case "db-scheduler" -> new DbSchedulerEngine(connect);
      case "jobrunr" -> new JobRunrEngine(connect);
      case "monotick" -> new MonotickEngine(connect);
      case "quartz" -> new QuartzEngine(connect);
      case "raw-sql" -> new RawSqlEngine(connect);
      default -> throw new IllegalArgumentException("there is no engine " + name);
    };
  }

  private void serve(BufferedReader in, PrintStream out) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      String answer;
      try {
        answer = answer(words);
      } catch (Exception e) {
        e.printStackTrace(System.err);
        answer = "failed " + e.toString().replace('\n', ' ');
      }
      out.println("@" + answer);
      if (words.get(0).equals("stop")) {
        return;
      }
    }
  }

  private String answer(List<String> words) throws Exception {
    return switch (words.get(0)) {
      case "hello" -> "ready";
      case "install" -> {
        engine.install(words.size() > 1 ? EngineUse.valueOf(words.get(1)) : EngineUse.DRAIN);
        yield "done";
      }
      case "add" -> senders.add(number(words, 1), number(words, 2));
      case "bulk" -> senders.bulk(number(words, 1));
      case "single" -> senders.threads(1, number(words, 1));
      case "threads" -> senders.threads(number(words, 1), number(words, 2));
      case "pace" -> senders.pace(number(words, 1), number(words, 2), number(words, 3));
      case "load" -> senders.load(number(words, 1), number(words, 2));
      case "work" -> work(EngineUse.valueOf(words.get(1)), number(words, 2));
      case "rest" -> {
        engine.rest();
        yield "done";
      }
      case "count" -> String.valueOf(tally().count());
      case "report" -> tally().report();
      case "starts" -> tally().starts();
      case "pause" -> {
        engine.pause();
        yield "done";
      }
      case "resume" -> {
        engine.resume();
        yield "done";
      }
      case "limit" -> {
        engine.limit(number(words, 1));
        yield "done";
      }
      case "limited" -> String.valueOf(engine.limited());
      case "stop" -> "stopping";
      default -> throw new IllegalArgumentException("there is no command " + words);
    };
  }

  private String work(EngineUse use, int numbers) throws Exception {
    tally = new RunCounter(numbers, use == EngineUse.PICKUP);
    engine.work(use, tally);
    return "working";
  }

  private RunCounter tally() {
    if (tally == null) {
      throw new IllegalStateException("it was not told to work");
    }
    return tally;
  }

  private static int number(List<String> words, int place) {
    return Integer.parseInt(words.get(place));
  }
}
