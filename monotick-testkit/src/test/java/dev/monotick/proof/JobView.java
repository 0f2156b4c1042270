package dev.monotick.proof;

import dev.monotick.proof.JobState.Field;
import java.util.stream.IntStream;

/**
 * What follows from a state of the model of jobs: the definitions of {@code jobs.tla}. A run of a
 * job is one number, as is the key of a claim, its member and number.
 */
record JobView(JobModel model, JobState state) {

  /** Claims and offers share their numbers; here each has a range of them. */
  static final int FIRST_OFFER = 9;

  private static final int NUMBERS = 16;

  int runs() {
    return model.jobs() * model.maxRun();
  }

  int run(int job, int run) {
    return job * model.maxRun() + run - 1;
  }

  int jobOf(int x) {
    return x / model.maxRun();
  }

  int runOf(int x) {
    return x % model.maxRun() + 1;
  }

  /** Returns what a membership is called in the store. */
  int id(int member) {
    return model.is(JobModel.Rule.REJOIN_KEEPS_IDENTITY) ? state.get(Field.OWNER, member) : member;
  }

  static int key(int id, int number) {
    return id * NUMBERS + number;
  }

  static int idOf(int key) {
    return key / NUMBERS;
  }

  static int numberOf(int key) {
    return key % NUMBERS;
  }

  int mem(int replica) {
    return state.get(Field.MEM, replica);
  }

  /** Returns the key of a claim under the replica's latest membership. */
  int keyOf(int replica, int number) {
    return key(id(mem(replica)), number);
  }

  /** Returns the key that the replica believes to have a run under. */
  int workKey(int x) {
    return key(id(state.get(Field.WORK_MEMBER, x)), state.get(Field.WORK_NUMBER, x));
  }

  /** Returns the claim that names a run, 0 if none does. */
  int claim(int x) {
    return key(state.get(Field.CLAIM_MEMBER, x), state.get(Field.CLAIM_NUMBER, x));
  }

  int[] named(int key) {
    return IntStream.range(0, runs()).filter(x -> claim(x) == key).toArray();
  }

  int[] open(int key) {
    return IntStream.of(named(key)).filter(x -> !state.is(Field.ENDED, x)).toArray();
  }

  int[] rows() {
    return IntStream.range(0, runs()).map(this::claim).filter(key -> key != 0).distinct().toArray();
  }

  boolean isPurged(int job) {
    return state.get(Field.STATE, job) >= JobState.FADING;
  }

  boolean isFinal(int job) {
    return state.get(Field.STATE, job) > JobState.RUNNING;
  }

  int minted() {
    return (int)
        IntStream.rangeClosed(1, model.members())
            .filter(member -> state.is(Field.OWNER, member))
            .count();
  }

  boolean mayLose() {
    long lost =
        IntStream.rangeClosed(1, model.replicas())
            .filter(replica -> !state.is(Field.TRUSTED, replica))
            .count();
    return minted() + lost < model.members();
  }

  /** Returns the runs that the process of a replica knows of. */
  int[] theirs(int replica) {
    return IntStream.range(0, runs())
        .filter(x -> state.is(Field.WORK_MEMBER, x))
        .filter(x -> state.get(Field.OWNER, state.get(Field.WORK_MEMBER, x)) == replica)
        .toArray();
  }

  boolean isIdle(int x) {
    int step = state.get(Field.STEP, x);
    return step == JobState.NOTHING || step == JobState.OVER;
  }
}
