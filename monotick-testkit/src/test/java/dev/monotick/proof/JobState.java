package dev.monotick.proof;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One state of the model of jobs, with the variables of {@code jobs.tla}. What is a function there
 * is a row of bytes here; what is a set there is a sorted array of numbers here. Replicas,
 * memberships, runs and numbers count from 1, jobs from 0. Must not be changed once it is explored.
 */
final class JobState {

  /** The functions, and the index of each. */
  enum Field {
    STATE(0), // by job
    RUN(1), // by job
    ENDED(2), // by run of a job, as are others that say so
    CLAIM_MEMBER(3), // by run
    CLAIM_NUMBER(4), // by run
    START_RUN(5), // by job
    START_MEMBER(6), // by job
    GONE(7), // by member
    RESCUED(8), // by member
    OWNER(9), // by member
    MEM(10), // by replica
    TRUSTED(11), // by replica
    NEXT(12), // by member
    NEXT_OFFER(13), // by member
    OFFERED(14), // by replica
    STEP(15), // by run
    WORK_MEMBER(16), // by run
    WORK_NUMBER(17), // by run
    SUCCESSES(18), // by job
    BEGUN(19), // by job
    WRONG(20); // by property

    private final int place;

    Field(int place) {
      this.place = place;
    }
  }

  /** The sets. */
  enum Many {
    OFFERS(0),
    REPORTS(1),
    STARTS(2),
    NOTICES(3);

    private final int place;

    Many(int place) {
      this.place = place;
    }
  }

  // States of a job.
  static final int NEW = 0;
  static final int READY = 1;
  static final int RUNNING = 2;
  static final int SUCCEEDED = 3;
  static final int DEAD = 4;
  static final int UNKNOWN = 5;
  static final int FADING = 6;
  static final int PURGED = 7;

  // Steps of a run at its replica.
  static final int NOTHING = 0;
  static final int GRANTED = 1;
  static final int ASKED = 2;
  static final int MAY = 3;
  static final int CHECKED = 4;
  static final int FROZEN = 5;
  static final int HANDLING = 6;
  static final int OVER = 7;

  private static final int[] EMPTY = {};

  private final int width;
  private final byte[] bytes;
  private final int[][] sets;

  private JobState(int width, byte[] bytes, int[][] sets) {
    this.width = width;
    this.bytes = bytes;
    this.sets = sets;
  }

  /** Returns the state in which each replica has its first membership, and no job exists. */
  static JobState initial(JobModel model) {
    int width =
        IntStream.of(model.jobs() * model.maxRun(), model.members() + 1, Property.COUNT)
            .max()
            .orElseThrow();
    int[][] sets = new int[Many.values().length][];
    Arrays.fill(sets, EMPTY);
    JobState state = new JobState(width, new byte[width * Field.values().length], sets);
    for (int job = 0; job < model.jobs(); job++) {
      state.set(Field.RUN, job, 1);
    }
    for (int member = 1; member <= model.members(); member++) {
      state.set(Field.NEXT, member, 1);
      state.set(Field.NEXT_OFFER, member, JobView.FIRST_OFFER);
    }
    for (int replica = 1; replica <= model.replicas(); replica++) {
      state.set(Field.OWNER, replica, replica);
      state.set(Field.MEM, replica, replica);
      state.set(Field.TRUSTED, replica, 1);
    }
    return state;
  }

  JobState copy() {
    return new JobState(width, bytes.clone(), sets.clone());
  }

  int get(Field field, int index) {
    return bytes[field.place * width + index];
  }

  boolean is(Field field, int index) {
    return get(field, index) != 0;
  }

  void set(Field field, int index, int value) {
    bytes[field.place * width + index] = (byte) value;
  }

  /** Counts one more; two stands for more. */
  void more(Field field, int index) {
    set(field, index, Math.min(2, get(field, index) + 1));
  }

  int[] all(Many set) {
    return sets[set.place];
  }

  boolean has(Many set, int element) {
    return Arrays.binarySearch(all(set), element) >= 0;
  }

  void add(Many set, int element) {
    if (!has(set, element)) {
      sets[set.place] =
          IntStream.concat(IntStream.of(all(set)), IntStream.of(element)).sorted().toArray();
    }
  }

  void remove(Many set, int element) {
    sets[set.place] = IntStream.of(all(set)).filter(each -> each != element).toArray();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof JobState state
        && Arrays.equals(bytes, state.bytes)
        && Arrays.deepEquals(sets, state.sets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes) * 31 + Arrays.deepHashCode(sets);
  }

  /** Where a violation that a step commits is noted. */
  static final class Property {
    static final int S2 = 0;
    static final int S3 = 1;
    static final int S4 = 2;
    static final int COUNT = 3;

    private Property() {}
  }
}
