package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTest {

  private static Document parsed(BarChart chart) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(chart.svg())));
  }

  private static List<Element> elements(Document document, String name) {
    List<Element> result = new ArrayList<>();
    NodeList nodes = document.getElementsByTagName(name);
    for (int i = 0; i < nodes.getLength(); i++) {
      result.add((Element) nodes.item(i));
    }
    return result;
  }

  @Test
  void barsAreAsLongAsTheirValues() throws Exception {
    BarChart chart = new BarChart("jobs", List.of("one", "two"));
    chart.group("a", List.of(40_000.0, 20_000.0));
    chart.group("b", List.of(10_000.0, Double.NaN));
    Document svg = parsed(chart);
    assertThat(elements(svg, "rect").stream().skip(2).map(bar -> bar.getAttribute("width")))
        .containsExactly("440", "220", "110", "1");
    assertThat(elements(svg, "text").stream().map(Element::getTextContent))
        .containsExactly("jobs", "one", "two", "a", "40,000", "20,000", "b", "10,000", "–");
  }

  @Test
  void namesAreEscaped() throws Exception {
    BarChart chart = new BarChart("a < b & \"c\"", List.of("one"));
    chart.group("x & y", List.of(1.0));
    assertThat(elements(parsed(chart), "text").get(0).getTextContent()).isEqualTo("a < b & \"c\"");
  }

  @Test
  void aGroupHasAValueForEachSeries() {
    assertThatThrownBy(() -> new BarChart("jobs", List.of("one", "two")).group("a", List.of(1.0)))
        .hasMessageContaining("a has 1 values");
  }
}
