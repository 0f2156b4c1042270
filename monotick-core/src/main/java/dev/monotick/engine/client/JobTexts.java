package dev.monotick.engine.client;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Texts that go to a store: not too long, and without what databases refuse. */
public final class JobTexts {

  private static final int LONGEST_FAILURE = 8_000;

  private JobTexts() {}

  public static String shortened(String text, int longest) {
    String clean = text.indexOf('\0') < 0 ? text : text.replace('\0', '?');
    return clean.length() <= longest ? clean : clean.substring(0, longest - 3) + "...";
  }

  /** Returns what a failure says; the failure's own methods may fail as well. */
  public static String line(Throwable failure) {
    try {
      return shortened(String.valueOf(failure.getMessage()), LONGEST_FAILURE);
    } catch (RuntimeException | Error e) {
      return failure.getClass().getName();
    }
  }

  /** Returns a failure with its stack; the failure's own methods may fail as well. */
  public static String of(Throwable failure) {
    try {
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      return shortened(text.toString(), LONGEST_FAILURE);
    } catch (RuntimeException | Error e) {
      return failure.getClass().getName() + " (which cannot be printed: " + e.getClass() + ")";
    }
  }
}
