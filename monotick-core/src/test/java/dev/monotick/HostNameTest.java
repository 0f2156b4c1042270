package dev.monotick;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names of replicas that were given none. */
class HostNameTest {

  /** In containers host name and process id may be the same everywhere. */
  @Test
  void namesEndInARandomSuffix() {
    List<String> names = Stream.generate(HostName::ofThisProcess).limit(20).toList();
    String process = "-" + ProcessHandle.current().pid() + "-";
    assertThat(names).allMatch(name -> name.matches(".+" + process + "[0-9a-f]{4}"));
    assertThat(names.stream().distinct().count()).isGreaterThan(1);
  }
}
