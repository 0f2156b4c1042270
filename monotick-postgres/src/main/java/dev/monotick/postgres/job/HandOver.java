package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.JobRules;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobTurn;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * That a job was claimed for a replica by whoever added it, as the replica is told: under which
 * number of its turns, and all it needs to run the job, if that fits into a notice. It comes by a
 * channel whose name nobody else knows, since all who may connect to a database may notify anybody
 * there.
 *
 * <p>The text is words: replica, number, job, lane and time, which job_hand puts before what {@link
 * #about} gave it.
 */
final class HandOver {

  /** A notice has less than 8,000 bytes, and the words before that need some. */
  private static final int LONGEST_ABOUT = 7_800;

  private static final int WORDS_BEFORE = 5;
  private static final int WORDS = WORDS_BEFORE + 6;

  private final ReplicaId replica;
  private final long number;
  private final String[] words;

  private HandOver(String[] words) {
    this.replica = new ReplicaId(UUID.fromString(words[0]));
    this.number = Long.parseLong(words[1]);
    this.words = words;
  }

  /** Says whether a draft may be given to a replica: if nothing is to be seen to but its run. */
  static boolean isPossible(List<JobDraft> drafts, boolean isPlain) {
    return isPlain
        && drafts.size() == 1
        && drafts.get(0).limitKey().isEmpty()
        && drafts.get(0).rules().effect() != Effect.AT_MOST_ONCE; // run or not: nobody would know
  }

  /** Returns what a replica must know of a job, null if it is too much for a notice. */
  static @Nullable String about(JobDraft draft) {
    if (draft.payload().length > LONGEST_ABOUT) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    text.append(draft.version()).append(' ');
    text.append(Math.max(1, draft.rules().timeout().toMillis())).append(' ');
    text.append(draft.rules().maxAttempts()).append(' ');
    text.append(JobColumns.effect(draft.rules().effect())).append(' ');
    text.append(word(draft.payload())).append(' ').append('.');
    new TreeMap<>(draft.headers())
        .forEach((name, value) -> text.append(word(name)).append(word(value)));
    return text.length() > LONGEST_ABOUT ? null : text.toString();
  }

  /** Returns what a notice says, null if it is none of ours. */
  static @Nullable HandOver parse(String text) {
    String[] words = text.split(" ", -1);
    try {
      return words.length < WORDS_BEFORE ? null : new HandOver(words);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  boolean isFor(ReplicaId who) {
    return who.equals(replica);
  }

  /** Says whether it answers a turn. */
  boolean answers(JobTurn turn) {
    return words.length == WORDS && isFor(turn.replica()) && turn.number() == number;
  }

  long id() {
    return Long.parseLong(words[2]);
  }

  int lane() {
    return Integer.parseInt(words[3]);
  }

  /** Returns the job; its run is the first. */
  ClaimedJob job(JobLane lane) {
    String[] headers = words[10].split("\\.", -1);
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 1; i + 1 < headers.length; i += 2) {
      map.put(text(headers[i]), text(headers[i + 1]));
    }
    return new ClaimedJob(
        new JobRun(new JobId(id()), 1, 1),
        lane,
        Integer.parseInt(words[5]),
        bytes(words[9].substring(0, words[9].length() - 1)),
        new JobRules(
            Integer.parseInt(words[7]),
            Duration.ofMillis(Long.parseLong(words[6])),
            Optional.empty(),
            JobColumns.effect(Integer.parseInt(words[8])),
            Optional.empty()),
        Optional.empty(),
        JobColumns.time(Long.parseLong(words[4])),
        map);
  }

  private static String word(String text) {
    return word(JobColumns.text(text).getBytes(StandardCharsets.UTF_8));
  }

  /** Ends with a point, so that nothing is a word too. */
  private static String word(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes) + '.';
  }

  private static String text(String word) {
    return new String(bytes(word), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String word) {
    return Base64.getDecoder().decode(word);
  }
}
