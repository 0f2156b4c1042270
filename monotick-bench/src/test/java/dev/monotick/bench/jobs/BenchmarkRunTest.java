package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.bench.contender.EngineUse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkRunTest {

  @TempDir private Path root;

  private BenchmarkRun run(boolean counts) {
    return new BenchmarkRun("drain", "scripts/bench drain --rounds 3", counts, root);
  }

  private static BenchmarkReport report() {
    BenchmarkReport report = new BenchmarkReport("jobs that wait");
    report.head(List.of("who", "jobs/s"));
    report.row(List.of("one", "5"));
    report.settings(Contenders.chosen("none"), EngineUse.DRAIN);
    report.line("ratio one/two 2.0");
    return report;
  }

  @Test
  void aRunThatCountsBecomesAPageOfTheDocumentation() throws Exception {
    Path page = run(true).write(report());
    assertThat(page).isEqualTo(root.resolve("docs/benchmarks/drain.md"));
    assertThat(Files.readString(page))
        .startsWith(
            "# Benchmark drain: jobs that wait\n\nWritten by `scripts/bench drain --rounds 3`;")
        .containsPattern("\\n- 20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC, for [0-9]+ s\\n")
        .contains("\n- Java " + Runtime.version() + "\n")
        .containsPattern("\\n- load average at the beginning .*of the processors\\n")
        .contains("\n\n| who | jobs/s |\n|---|---|\n| one | 5 |\n\n- Monotick: default settings")
        .endsWith("\n\n```\nratio one/two 2.0\n```\n")
        .doesNotContain("svg");
  }

  @Test
  void aTrialLeavesTheDocumentationAlone() throws Exception {
    Path page = run(false).write(report());
    assertThat(page).isEqualTo(root.resolve("monotick-bench/target/docs/benchmarks/drain.md"));
    assertThat(page).content().contains("\n**A trial, smaller than what counts.** Written by");
    assertThat(root.resolve("docs")).doesNotExist();
  }

  @Test
  void aChartIsDrawnBesideAndShownOnThePage() throws Exception {
    BenchmarkReport report = report();
    BarChart chart = new BarChart("No-op jobs", List.of("1 process"));
    chart.group("one", List.of(5.0));
    report.chart(chart);
    Path page = run(true).write(report);
    assertThat(page).content().contains("\n\n![No-op jobs](../images/bench-drain.svg)\n\n| who |");
    assertThat(root.resolve("docs/images/bench-drain.svg")).content().isEqualTo(chart.svg());
  }
}
