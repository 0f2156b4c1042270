package dev.monotick.checks;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What holds for the compiled classes of every module. A module's {@code ArchitectureTest} extends
 * this class, and thereby has its own classes checked.
 *
 * <p>Most rules have places meant for what they forbid elsewhere. A module names its own by
 * overriding the method that lists them; a place is a package, with the packages below it, or a
 * class, with the classes inside it.
 */
public abstract class ArchitectureRules {

  private static final Set<String> BUCKETS =
      Set.of("util", "utils", "common", "impl", "model", "helper", "helpers", "misc");

  /** Of more files nobody keeps an overview. */
  private static final int LARGEST_PACKAGE = 30;

  /** Reading class files takes longer than all rules together, so it is done once. */
  private static final Map<Path, JavaClasses> IMPORTED = new ConcurrentHashMap<>();

  /** Places that may read the clocks of the process. */
  protected Set<String> placesForClocks() {
    return Set.of("dev.monotick.spi.time");
  }

  /** Places that may create threads. */
  protected Set<String> placesForThreads() {
    return Set.of("dev.monotick.engine.thread");
  }

  /** Places that may write to standard output and standard error. */
  protected Set<String> placesForPrinting() {
    return Set.of();
  }

  /** Places in tests that may sleep, because a server owns the clock they wait for. */
  protected Set<String> placesForSleepInTests() {
    return Set.of();
  }

  @Test
  void clocksAreReadOnlyInTheirPlace() {
    refuse(
        "inject a TimeSource instead of reading the clocks of the process",
        accesses(mainClasses(), placesForClocks(), ArchitectureRules::readsClock));
  }

  @Test
  void threadsAreCreatedOnlyInTheirPlace() {
    refuse(
        "use the threads of EngineThreads, or the caller's, so that tests can do without any",
        accesses(mainClasses(), placesForThreads(), ArchitectureRules::createsThread));
  }

  @Test
  void standardOutputIsUsedOnlyInItsPlace() {
    refuse(
        "log through slf4j instead of printing",
        accesses(mainClasses(), placesForPrinting(), ArchitectureRules::prints));
  }

  @Test
  void nothingSleeps() {
    refuse(
        "schedule what is to happen later, or wait for a named signal, instead of sleeping",
        accesses(mainClasses(), Set.of(), ArchitectureRules::sleeps));
  }

  @Test
  void noTestSleeps() {
    refuse(
        "move a fake clock, or wait for a named signal, instead of sleeping",
        accesses(testClasses(), placesForSleepInTests(), ArchitectureRules::sleeps));
  }

  @Test
  void loggingGoesThroughSlf4j() {
    refuse(
        "log through slf4j instead of java.util.logging",
        dependencies(
            mainClasses(),
            origin -> true,
            target -> target.getPackageName().equals("java.util.logging")));
  }

  @Test
  void packagesAreNamedAfterWhatTheyAreFor() {
    Set<String> buckets = packages();
    buckets.removeIf(name -> Stream.of(name.split("\\.")).noneMatch(BUCKETS::contains));
    refuse("let a helper live beside its user, not in a bucket", buckets);
  }

  @Test
  void everyPackageIsNullMarked() {
    Set<String> unmarked = packages();
    mainClasses().stream()
        .filter(type -> type.getSimpleName().equals("package-info"))
        .filter(type -> type.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
        .forEach(type -> unmarked.remove(type.getPackageName()));
    refuse("add a package-info with @NullMarked: without it nobody checks for null", unmarked);
  }

  @Test
  void packagesAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                return SliceIdentifier.of(type.getPackageName());
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles()
        .check(mainClasses());
  }

  @Test
  void noPackageIsTooBig() {
    Map<String, Long> sizes =
        mainClasses().stream()
            .filter(type -> type.isTopLevelClass())
            .collect(groupingBy(JavaClass::getPackageName, counting()));
    Set<String> tooBig = new TreeSet<>();
    sizes.forEach(
        (name, size) -> {
          if (size > LARGEST_PACKAGE) {
            tooBig.add(name + " has " + size + " files");
          }
        });
    refuse("split a package of more than " + LARGEST_PACKAGE + " files by service", tooBig);
  }

  /** Returns the classes of the module under test. */
  protected final JavaClasses mainClasses() {
    return imported("classes");
  }

  /** Returns the test classes of the module under test. */
  protected final JavaClasses testClasses() {
    return imported("test-classes");
  }

  /** Describes each dependency of the chosen origins on a forbidden class. */
  protected static Collection<String> dependencies(
      JavaClasses classes, Predicate<JavaClass> origins, Predicate<JavaClass> forbidden) {
    return classes.stream()
        .filter(origins)
        .flatMap(origin -> origin.getDirectDependenciesFromSelf().stream())
        .filter(dependency -> forbidden.test(dependency.getTargetClass().getBaseComponentType()))
        .map(Dependency::getDescription)
        .collect(toCollection(TreeSet::new));
  }

  /** Says whether a class is in one of the places. */
  protected static boolean isIn(JavaClass type, Set<String> places) {
    return places.stream()
        .anyMatch(
            place ->
                type.getName().equals(place)
                    || type.getName().startsWith(place + "$")
                    || (type.getPackageName() + ".").startsWith(place + "."));
  }

  /** Fails with the remedy and all violations, if there are any. */
  protected static void refuse(String remedy, Collection<String> violations) {
    if (!violations.isEmpty()) {
      throw new AssertionError(remedy + ":\n  " + String.join("\n  ", violations));
    }
  }

  private Set<String> packages() {
    return mainClasses().stream()
        .filter(type -> !type.getSimpleName().equals("module-info"))
        .map(JavaClass::getPackageName)
        .collect(toCollection(TreeSet::new));
  }

  private JavaClasses imported(String folder) {
    return IMPORTED.computeIfAbsent(
        buildFolder().resolve(folder),
        path -> {
          JavaClasses classes = new ClassFileImporter().importPath(path);
          if (classes.isEmpty()) {
            throw new AssertionError("no classes to check in " + path);
          }
          return classes;
        });
  }

  /** The folder a module is built in is where the subclass comes from, whoever runs the test. */
  private Path buildFolder() {
    try {
      Path testClasses =
          Path.of(getClass().getProtectionDomain().getCodeSource().getLocation().toURI());
      return testClasses.resolveSibling(".").normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Accesses are calls, uses of fields, and references such as {@code System::nanoTime}. */
  private static Collection<String> accesses(
      JavaClasses classes, Set<String> places, Predicate<AccessTarget> forbidden) {
    return classes.stream()
        .filter(origin -> !isIn(origin, places))
        .flatMap(origin -> origin.getAccessesFromSelf().stream())
        .filter(access -> forbidden.test(access.getTarget()))
        .map(JavaAccess::getDescription)
        .collect(toCollection(TreeSet::new));
  }

  private static boolean readsClock(AccessTarget target) {
    return is(target, System.class, "currentTimeMillis", "nanoTime")
        || (target.getOwner().getPackageName().startsWith("java.time")
            && target.getName().equals("now")
            && !takes(target, Clock.class))
        || (target.getOwner().isEquivalentTo(Clock.class)
            && (target.getName().startsWith("system")
                || (target.getName().startsWith("tick") && !takes(target, Clock.class))))
        || (target.getOwner().getName().equals("java.time.InstantSource")
            && target.getName().equals("system"))
        || target.getFullName().equals("java.util.Date.<init>()");
  }

  private static boolean createsThread(AccessTarget target) {
    JavaClass owner = target.getOwner();
    boolean isNew = target.getName().equals("<init>");
    return (isNew && owner.isAssignableTo(Thread.class))
        || (isNew && owner.isAssignableTo(ThreadPoolExecutor.class))
        || (isNew && owner.isAssignableTo(ForkJoinPool.class))
        || (isNew && owner.isAssignableTo(Timer.class))
        || is(target, Thread.class, "start", "startVirtualThread", "ofVirtual", "ofPlatform")
        || is(target, ForkJoinPool.class, "commonPool")
        || (owner.getName().equals("java.util.concurrent.Executors")
            && target.getName().startsWith("new"))
        || usesHiddenThreads(target);
  }

  /** Without an executor these run on the common pool, the timeouts on a timer of the JDK. */
  private static boolean usesHiddenThreads(AccessTarget target) {
    return (target.getOwner().isAssignableTo(CompletableFuture.class)
            && target.getName().endsWith("Async")
            && !takes(target, Executor.class))
        || is(target, CompletableFuture.class, "orTimeout", "completeOnTimeout", "delayedExecutor");
  }

  private static boolean prints(AccessTarget target) {
    return is(target, System.class, "out", "err")
        || (target.getName().equals("printStackTrace")
            && target.getOwner().isAssignableTo(Throwable.class)
            && target instanceof CodeUnitAccessTarget unit
            && unit.getRawParameterTypes().isEmpty());
  }

  private static boolean sleeps(AccessTarget target) {
    return target.getName().equals("sleep")
        && (target.getOwner().isAssignableTo(Thread.class)
            || target.getOwner().getName().equals("java.util.concurrent.TimeUnit"));
  }

  private static boolean is(AccessTarget target, Class<?> owner, String... names) {
    return target.getOwner().isAssignableTo(owner) && Set.of(names).contains(target.getName());
  }

  private static boolean takes(AccessTarget target, Class<?> parameter) {
    return target instanceof CodeUnitAccessTarget unit
        && unit.getRawParameterTypes().stream().anyMatch(type -> type.isAssignableTo(parameter));
  }
}
