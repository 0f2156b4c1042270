package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docs/operate/server.md says of settings is what there is. */
class SettingsDocTest {

  private static final Path PAGE = Path.of("..", "docs", "operate", "server.md");

  @Test
  void thePageHasEverySettingWithItsDefault() throws IOException {
    String table =
        SettingCatalog.ALL.stream()
            .map(
                each ->
                    "| `"
                        + each.variable()
                        + "` | "
                        + (each.fallback().isEmpty() ? "" : "`" + each.fallback() + "`")
                        + " | "
                        + each.about()
                        + " |")
            .collect(Collectors.joining("\n"));

    assertThat(Files.readString(PAGE)).contains(table);
  }
}
