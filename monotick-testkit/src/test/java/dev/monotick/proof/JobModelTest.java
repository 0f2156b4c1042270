package dev.monotick.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.proof.Explorer.Exploration;
import dev.monotick.proof.JobModel.Property;
import dev.monotick.proof.JobModel.Rule;
import dev.monotick.proof.JobProperties.Possible;
import dev.monotick.proof.JobTwinTest.Broken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Has TLC explore {@code docs/proof/jobs.tla}, and expects what {@link JobTwinTest} finds in Java:
 * as many states where nothing is violated, as many steps where something is. Two descriptions that
 * differ by a slip would hardly agree on both. {@code scripts/model} asks TLC about the broken
 * rules too; a build asks only the twin.
 */
@Tag("thorough")
class JobModelTest {

  /** Whether sizes that take long are explored too. */
  static final boolean LARGE = "large".equals(System.getProperty("monotick.model"));

  private static final Path SPECIFICATION = Path.of("..", "docs", "proof", "jobs.tla");
  private static final Path FOLDER = Path.of("target", "model");
  private static final String ALL =
      String.join(" ", JobModel.ALL.stream().map(Property::name).toList());

  private static final List<String> TABLE = new ArrayList<>();
  private static final List<String> STORIES = new ArrayList<>();

  private final Tlc tlc = new Tlc(SPECIFICATION, FOLDER, Duration.ofMinutes(5));

  @AfterAll
  static void report() throws IOException {
    Files.write(
        FOLDER.resolve("jobs.md"),
        Stream.of(
                Stream.of("| broken | size | violated | steps | states |", "|---|---|---|---|---|"),
                TABLE.stream(),
                Stream.of(""),
                STORIES.stream())
            .flatMap(lines -> lines)
            .toList());
  }

  @ParameterizedTest
  @MethodSource("dev.monotick.proof.JobTwinTest#sound")
  void productViolatesNothingAndTwinReachesAsManyStates(JobModel model) throws Exception {
    Finding finding = explore("jobs-" + model, model, ALL, true);
    assertThat(finding.violated()).as("%s", finding.steps()).isNull();
    assertThat(finding.states()).isEqualTo(JobProperties.explore(model, JobModel.ALL).states());
    add(model, "none of " + ALL, finding);
  }

  @ParameterizedTest
  @MethodSource("dev.monotick.proof.JobTwinTest#broken")
  @EnabledIfSystemProperty(named = "monotick.model", matches = ".+")
  void brokenRuleIsFoundInAsManySteps(Broken broken) throws Exception {
    String property = broken.violated().name();
    Finding finding = explore("jobs-" + broken, broken.model(), property, false);
    Exploration found = JobProperties.explore(broken.model(), List.of(broken.violated()));
    assertThat(finding.violated()).isEqualTo(property);
    assertThat(finding.steps()).hasSameSizeAs(found.steps());
    add(broken.model(), property, finding);
    STORIES.add("- " + broken + ": " + String.join("; ", found.steps()));
  }

  @ParameterizedTest
  @MethodSource("dev.monotick.proof.JobTwinTest#possible")
  @EnabledIfSystemProperty(named = "monotick.model", matches = ".+")
  void whatMustBePossibleIsPossibleInAsManySteps(Possible possible, JobModel model)
      throws Exception {
    Finding finding = explore("jobs-" + possible, model, possible.never(), false);
    assertThat(finding.violated()).isEqualTo(possible.never());
    assertThat(finding.steps()).hasSameSizeAs(JobProperties.explore(model, possible).steps());
    add(model, possible.never(), finding);
  }

  @Test
  void twinKnowsEverySwitchOfTheModel() throws IOException {
    String text = Files.readString(SPECIFICATION);
    String switches = text.substring(text.indexOf("Switches == {"), text.indexOf("ASSUME"));
    assertThat(Pattern.compile("\"([A-Z_]+)\"").matcher(switches).results())
        .extracting(match -> match.group(1))
        .containsExactlyInAnyOrderElementsOf(Stream.of(Rule.values()).map(Rule::name).toList());
  }

  private Finding explore(String name, JobModel model, String invariants, boolean whole)
      throws IOException, InterruptedException {
    return tlc.explore(name.replaceAll("[^\\w]+", "-"), model.configuration(invariants), whole);
  }

  private static void add(JobModel model, String violated, Finding finding) {
    TABLE.add(
        String.format(
            Locale.ROOT,
            "| %s | %s | %s | %d | %,d |",
            model.brokenNames(),
            model,
            violated,
            finding.steps().size(),
            finding.states()));
  }
}
