package dev.monotick.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PackageGraphTest {

  @Test
  void theArchitecturePageHasTheGraphOfToday() throws IOException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    String page = Files.readString(root.resolve(PackageGraph.PAGE));
    assertThat(page)
        .as("run scripts/package-graph and commit what it writes")
        .isEqualTo(new PackageGraph(root).page(page));
  }
}
