package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunCourseTest {

  private static String report(long count, int bits, String times) {
    byte[] bytes = {(byte) bits, (byte) (bits >> 8)};
    return count + " " + Base64.getEncoder().encodeToString(bytes) + " " + times;
  }

  @Test
  void reportsOfSeveralProcessesAreAddedUp() {
    RunCourse course =
        RunCourse.of(
            List.of(report(3, 0b0111, "1000:1,1010:2"), report(2, 0b1_1000, "1010:1,1030:1")));
    assertThat(course.executed()).isEqualTo(5);
    assertThat(course.numbers().cardinality()).isEqualTo(5);
    assertThat(course.perMilli()).containsEntry(1010L, 3L);
    assertThat(course.duplicates()).isZero();
    assertThat(Drain.fault(course, 5, 0)).isEmpty();
  }

  @Test
  void aJobThatTwoProcessesRanIsFoundOut() {
    RunCourse course = RunCourse.of(List.of(report(2, 0b011, "1:2"), report(2, 0b110, "2:2")));
    assertThat(course.duplicates()).isEqualTo(1);
    assertThat(Drain.fault(course, 3, 0)).isEqualTo("3 jobs: 4 runs of 3 jobs, 0 jobs left");
    assertThat(Drain.fault(course, 4, 0)).isEqualTo("4 jobs: 4 runs of 3 jobs, 0 jobs left");
  }

  @Test
  void jobsThatAreLeftAreAFault() {
    RunCourse course = RunCourse.of(List.of(report(2, 0b11, "1:2")));
    assertThat(Drain.fault(course, 2, 1)).isEqualTo("2 jobs: 2 runs of 2 jobs, 1 jobs left");
  }

  @Test
  void rateIsThatBetweenTwoCounts() {
    StringBuilder times = new StringBuilder("0:1");
    for (int i = 1; i <= 100; i++) {
      times.append(',').append(10 * i).append(":1");
    }
    RunCourse course = RunCourse.of(List.of(report(101, 0, times.toString())));
    assertThat(course.rate(1, 101)).isEqualTo(100);
    assertThat(course.steady(100)).isEqualTo(100);
    assertThatThrownBy(() -> course.when(102)).hasMessage("only 101 were run, not 102");
  }

  @Test
  void aProcessThatRanNothingAddsNothing() {
    assertThat(RunCourse.of(List.of(report(0, 0, ""))).executed()).isZero();
  }
}
