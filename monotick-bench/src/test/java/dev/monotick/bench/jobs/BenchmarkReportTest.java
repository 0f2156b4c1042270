package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchmarkReportTest {

  @Test
  void tableComesFirstAndLinesForScriptsLast() {
    BenchmarkReport report = new BenchmarkReport("jobs");
    report.head(List.of("who", "jobs/s"));
    report.row(List.of("one", "5"));
    List<Contender> two = Contenders.LIST.subList(0, 2);
    report.ratios("ratio", two, each -> each.equals(two.get(0)) ? 123 : 10);
    assertThat(report.text())
        .isEqualTo(
            "\n| who | jobs/s |\n|---|---|\n| one | 5 |\n\n\nratio "
                + two.get(0).name()
                + "/"
                + two.get(1).name()
                + " 12.3");
  }
}
