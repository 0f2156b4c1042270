package dev.monotick.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import java.sql.Connection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of every module, and which of core's packages may know which. */
class ArchitectureTest extends ArchitectureRules {

  private static final Set<String> LIBRARIES = Set.of("org.slf4j", "org.jspecify.annotations");

  @Test
  void timeKnowsNoOtherPackage() {
    refuse(
        "keep the package time free of all others",
        dependencies(mainClasses(), in("time"), ours().and(in("time").negate())));
  }

  @Test
  void scheduleKnowsNoOtherPackageButTimeAndInternal() {
    refuse(
        "let the package schedule use time and internal only: nominal times are computed, never observed",
        dependencies(
            mainClasses(),
            in("schedule"),
            ours().and(in("schedule", "time", "internal").negate())));
  }

  @Test
  void threadKnowsNoOtherPackageButTime() {
    refuse(
        "let the package thread use time only: it runs code, and does not know whose",
        dependencies(mainClasses(), in("thread"), ours().and(in("thread", "time").negate())));
  }

  @Test
  void packagesForUsersAndBackendsKnowNothingOfTheEngine() {
    refuse(
        "let the engine know users and backends, not the other way round",
        dependencies(
            mainClasses(),
            in("task", "ledger", "leader", "replica", "store", "event", "metric"),
            in("engine", "memory", "thread")));
  }

  @Test
  void coreNeedsNothingButJavaSlf4jAndJspecify() {
    refuse(
        "prefer java.base, java.sql and a few own lines: what core needs, every user pays for",
        dependencies(
            mainClasses(),
            origin -> true,
            target -> !ours().test(target) && !isIn(target, LIBRARIES) && !isInJava(target)));
  }

  private static Predicate<JavaClass> ours() {
    return type -> isIn(type, Set.of("dev.monotick"));
  }

  private static Predicate<JavaClass> in(String... names) {
    Set<String> places =
        Stream.of(names).map(name -> "dev.monotick." + name).collect(Collectors.toSet());
    return type -> isIn(type, places);
  }

  /** Of java.sql, connections and data sources are in signatures that bodies see. */
  private static boolean isInJava(JavaClass type) {
    return type.isPrimitive()
        || Object.class.getModule().isExported(type.getPackageName())
        || Connection.class.getModule().isExported(type.getPackageName());
  }
}
