package dev.monotick.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.monotick.checks.ArchitectureRules;
import java.sql.Connection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of every module, and which of core's packages may know which. */
class ArchitectureTest extends ArchitectureRules {

  private static final Set<String> LIBRARIES = Set.of("org.slf4j", "org.jspecify.annotations");

  private static final String[] USERS = {
    "error", "work", "task", "tick", "job", "leader", "replica", "event"
  };

  @Test
  void packagesForUsersKnowNoSpiAndNoEngine() {
    refuse(
        "keep types of the SPI and of the engine out of user types; only the root package composes",
        dependencies(mainClasses(), in(USERS), in("spi", "internal", "engine")));
  }

  @Test
  void packagesForBackendsKnowNothingOfTheEngine() {
    refuse(
        "let the engine know users and backends, not the other way round",
        dependencies(mainClasses(), in("spi", "internal"), in("engine")));
  }

  @Test
  void nothingKnowsTheRootPackage() {
    refuse(
        "let the root package compose, and nothing depend on it",
        dependencies(
            mainClasses(),
            type -> !type.getPackageName().equals("dev.monotick"),
            type -> type.getPackageName().equals("dev.monotick")));
  }

  @Test
  void threadsKnowNoOtherPackageButTime() {
    refuse(
        "let the package engine.thread use spi.time only: it runs code, and does not know whose",
        dependencies(
            mainClasses(),
            in("engine.thread"),
            ours().and(in("engine.thread", "spi.time").negate())));
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
