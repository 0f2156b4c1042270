package dev.monotick.chaos.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How to start a Java process on the class path of this one.
 *
 * @param name what people and histories call it
 * @param main its main class
 * @param arguments its arguments
 * @param environment variables beside those it inherits
 * @param wrapper a command that is given the rest as its own arguments, and becomes it; or empty
 * @param log where its standard error goes
 */
public record JavaProgram(
    String name,
    Class<?> main,
    List<String> arguments,
    Map<String, String> environment,
    List<String> wrapper,
    Path log) {

  /** Copies lists and map. */
  public JavaProgram {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
    wrapper = List.copyOf(wrapper);
  }

  /** Returns a program without a wrapper and with the environment of this process. */
  public static JavaProgram of(String name, Class<?> main, List<String> arguments, Path log) {
    return new JavaProgram(name, main, arguments, Map.of(), List.of(), log);
  }

  /** Returns the whole command. */
  List<String> command() {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // They start often and run for seconds: what counts is a quick start and little memory.
    command.addAll(
        List.of(
            "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms32m", "-Xmx128m"));
    command.addAll(
        List.of(
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
            "-Dorg.slf4j.simpleLogger.showThreadName=false"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }
}
