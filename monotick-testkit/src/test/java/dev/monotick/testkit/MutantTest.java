package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Would the simulation notice? Each of these is a mistake that somebody could make in one class of
 * the product; the simulation must find it, and by an invariant that says what is wrong.
 */
@Tag("thorough")
class MutantTest {

  private static final long MOST_SEEDS = 4_000;

  static List<Mutant> mutants() {
    return Mutants.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  @Timeout(120)
  void simulationFinds(Mutant mutant, @TempDir Path folder) throws Exception {
    Class<?> batch = mutant.load(folder).loadClass("dev.monotick.testkit.SimulationBatch");
    Method search = batch.getDeclaredMethod("search", long.class, long.class);
    search.setAccessible(true);
    String found = (String) search.invoke(null, mutant.firstSeed(), MOST_SEEDS);
    assertThat(found).as("%s was not found in %d seeds", mutant, MOST_SEEDS).isNotNull();
    System.out.println("mutant: " + mutant + " -> " + found);
    String invariant = found.substring(found.indexOf(' ', 5) + 1, found.indexOf(':'));
    assertThat(mutant.expected()).as(found).contains(invariant);
  }
}
