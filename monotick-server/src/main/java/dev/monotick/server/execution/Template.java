package dev.monotick.server.execution;

import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Texts with {@code {{placeholders}}}. What they stand for is never looked at for placeholders
 * again.
 */
final class Template {

  static final String SECRET = "secret.";

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*([^{}]*?)\\s*}}");
  private static final List<String> KNOWN =
      List.of("job.id", "nominalTime", "attempt", "tenant", "idempotencyKey");

  private Template() {}

  /** Refuses a text that has placeholders we do not know. */
  static void check(String field, String text, boolean secrets) {
    Matcher matcher = PLACEHOLDER.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1);
      boolean known =
          KNOWN.contains(name)
              || (secrets && name.matches("secret\\.[A-Za-z0-9][A-Za-z0-9._-]{0,99}"));
      if (!known) {
        throw Problem.invalid(
            field,
            field
                + " has the placeholder {{"
                + (name.length() <= 100 ? name : name.substring(0, 100) + "…")
                + "}}, which is not known; there are "
                + KNOWN
                + (secrets ? " and secret.NAME" : ""));
      }
    }
  }

  /** Says whether secrets go into a text. */
  static boolean hasSecret(String text) {
    return !secrets(text).isEmpty();
  }

  /** Returns the names of the secrets that go into a text. */
  static List<String> secrets(String text) {
    return PLACEHOLDER
        .matcher(text)
        .results()
        .map(each -> each.group(1))
        .filter(name -> name.startsWith(SECRET))
        .map(name -> name.substring(SECRET.length()))
        .toList();
  }

  /** Puts values in. */
  static String fill(String text, UnaryOperator<String> values) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(values.apply(found.group(1))));
  }
}
