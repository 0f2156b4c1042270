package dev.monotick.job;

/**
 * Names a job. Made by the store; younger jobs have greater ids.
 *
 * @param value the number, positive
 */
public record JobId(long value) implements Comparable<JobId> {

  /** Refuses numbers that are not positive. */
  public JobId {
    if (value <= 0) {
      throw new IllegalArgumentException("job id must be positive, but was " + value);
    }
  }

  /**
   * Reads what {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if it is no such text
   */
  public static JobId parse(String text) {
    try {
      return new JobId(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "job id must be a positive number, but was \"" + text + "\"", e);
    }
  }

  @Override
  public int compareTo(JobId other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
