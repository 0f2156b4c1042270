package dev.monotick.chaos.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChaosReportTest {

  @Test
  void theReportHasAColumnForEachRunAndNothingLeftToFillIn() {
    String report =
        ChaosReport.of(List.of(record("lease row", false, 0), record("advisory lease", false, 3)));
    assertThat(report)
        .doesNotContain("{{")
        .contains("| | lease row | advisory lease |")
        .contains("| effects that took place twice | **0** | **3** |")
        .contains("| kill-leader | F1 | 12 | 12 |")
        .contains("| kill-leader | 5 | 0.30 | 1.10 | 1.10 |")
        .contains("| I3 | no tick takes effect twice |");
  }

  @Test
  void theControlIsToldApart() {
    String report =
        ChaosReport.of(
            List.of(record("advisory lease", false, 0), record("advisory lease", true, 1234)));
    assertThat(report).contains("**1,234 effects took place more than once**");
    assertThat(report).contains("| effects that took place twice | **0** |\n");
  }

  @Test
  void recordsAreReadAsTheyWereWritten(@TempDir Path folder) {
    RunRecord record = record("lease row", false, 0);
    record.write(folder, "row");
    assertThat(RunRecord.read(folder)).containsExactly(record);
  }

  @Test
  void violationsAreCountedForTheirInvariant() {
    List<String> violations =
        List.of(
            "no duplicate effect: x", "a tick is begun once: y", "lost: job has no end, 2 times");
    assertThat(Invariant.I3.count(violations)).isEqualTo(2);
    assertThat(Invariant.J1.count(violations)).isEqualTo(1);
    assertThat(Invariant.I1.count(violations)).isZero();
  }

  @Test
  void thePictureShowsTermsFaultsAndEffects() throws Exception {
    List<Journal.Entry> journal = new ArrayList<>();
    add(journal, "r1.1", 1, "started");
    add(journal, "r1.1", 2, "gained", "fence", "1.1");
    add(journal, "r1.1", 2, "trust", "fence", "1.1", "until", 5_000_000_000L);
    add(journal, "nemesis", 4, "fault", "number", 1, "fault", "kill-leader", "whom", "r1.1");
    add(journal, "nemesis", 4, "kill", "whom", "r1.1");
    add(journal, "nemesis", 5, "healed", "number", 1);
    add(journal, "sink", 3, "effect", "task", "leader", "replica", "r1.1", "verdict", "ACCEPTED");
    add(journal, "sink", 6, "effect", "task", "leader", "replica", "r1.1", "verdict", "STALE");
    String svg = TimelinePicture.of(journal, "a <run>");
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
    assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(1);
    assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(1);
    assertThat(svg).contains("kill-leader").contains("term 1.1").contains("a &lt;run&gt;");
  }

  private static void add(
      List<Journal.Entry> journal, String source, int second, String kind, Object... fields) {
    journal.add(new Journal.Entry(source, HistoryEvent.at(second * 1_000_000_000L, kind, fields)));
  }

  private static RunRecord record(String title, boolean control, int duplicates) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("title", title);
    values.put("control", Boolean.toString(control));
    values.put("figure.duplicates", Integer.toString(duplicates));
    values.put("violations.I3", Integer.toString(duplicates));
    values.put("number.kill-leader", "F1");
    values.put("fault.kill-leader", "12");
    values.put("failover.kill-leader", "5 0.30 1.10 1.10");
    return new RunRecord(values);
  }
}
