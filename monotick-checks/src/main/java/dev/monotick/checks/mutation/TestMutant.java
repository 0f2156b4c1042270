package dev.monotick.checks.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * A wrong version of the product that a named test must catch. The test runs in this process, on
 * classes of its own: first on the product as it is, where it must pass, then on the mutant.
 *
 * @param item number of the defect in docs/proof/README.md that the mutant brings back
 * @param name what is wrong with it
 * @param test class and method, as in {@code dev.monotick.SomeTest#method}
 * @param caughtBy a part of the assertion's message
 * @param isSlow whether it runs only if all mutants are wanted
 * @param edits what is replaced by what
 */
public record TestMutant(
    int item, String name, String test, String caughtBy, boolean isSlow, List<Edit> edits) {

  private static final Set<String> PASSED = ConcurrentHashMap.newKeySet();

  /** Returns a mutant that is to be edited. */
  public static TestMutant of(int item, String name, String test, String caughtBy) {
    return new TestMutant(item, name, test, caughtBy, false, List.of());
  }

  /** Adds an edit. */
  public TestMutant edit(Edit edit) {
    List<Edit> all = new ArrayList<>(edits);
    all.add(edit);
    return new TestMutant(item, name, test, caughtBy, isSlow, all);
  }

  /** Returns the same mutant as one that takes long. */
  public TestMutant slow() {
    return new TestMutant(item, name, test, caughtBy, true, edits);
  }

  /** Returns those to run: all with {@code -Dmonotick.mutants=all}, else the quick ones. */
  public static List<TestMutant> wanted(List<TestMutant> all) {
    boolean wantsAll = System.getProperty("monotick.mutants", "").equals("all");
    return all.stream().filter(mutant -> wantsAll || !mutant.isSlow).toList();
  }

  @Override
  public String toString() {
    return item + ": " + name;
  }

  /**
   * Requires that the test passes on the product and fails on the mutant by the named assertion.
   * Prints a row of a table.
   *
   * @param folder an empty one
   * @param isShared which classes, by their names, are not loaded anew
   */
  public void requireCaught(Path folder, Predicate<String> isShared) throws Exception {
    if (PASSED.add(test)) {
      assertThat(failures(List.of(), folder.resolve("product"), isShared))
          .as("%s must pass on the product", test)
          .isEmpty();
    }
    long start = System.nanoTime();
    List<Throwable> failures = failures(edits, folder.resolve("mutant"), isShared);
    double seconds = (System.nanoTime() - start) / 1e9;
    assertThat(failures).as("%s passes on the mutant: %s", test, name).isNotEmpty();
    Throwable failure = failures.get(0);
    String says = failure.toString().strip().replaceAll("\\s+", " ");

    assertThat(says).as("what %s fails by on the mutant: %s", test, name).contains(caughtBy);
    System.out.println(
        String.format(
            Locale.ROOT,
            "mutant: | %d | %s | `%s`: %s | %.1f |",
            item,
            name,
            test.substring(test.lastIndexOf('.') + 1).replace('#', '.'),
            caughtBy.replace("|", "\\|"),
            seconds));
  }

  private List<Throwable> failures(List<Edit> changes, Path folder, Predicate<String> isShared)
      throws IOException, ClassNotFoundException {
    ClassLoader loader = MutatedClasses.of(changes, folder, isShared);
    String[] parts = test.split("#", 2);
    Class<?> type = loader.loadClass(parts[0]);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectMethod(type, method(type, parts[1])))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      LauncherFactory.create(
              LauncherConfig.builder()
                  .enableTestExecutionListenerAutoRegistration(false)
                  .enableLauncherSessionListenerAutoRegistration(false)
                  .build())
          .execute(request, listener);
    } finally {
      thread.setContextClassLoader(before);
    }
    TestExecutionSummary summary = listener.getSummary();
    assertThat(summary.getTestsStartedCount()).as("runs of %s", test).isPositive();
    return summary.getFailures().stream().map(TestExecutionSummary.Failure::getException).toList();
  }

  private static Method method(Class<?> type, String name) {
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      List<Method> found =
          Arrays.stream(at.getDeclaredMethods())
              .filter(method -> method.getName().equals(name) && !method.isSynthetic())
              .toList();
      if (!found.isEmpty()) {
        return found.get(0);
      }
    }
    throw new AssertionError(type + " has no test " + name);
  }
}
