package dev.monotick.schedule;

/**
 * Says why a written schedule was refused: which field, which character, and what is allowed there.
 * The message shows the input with a caret under the first character that does not fit.
 */
public final class ScheduleSyntaxException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** How much of a long input the message shows on either side of the caret. */
  private static final int WINDOW = 60;

  private final String field;
  private final int position;
  private final String problem;

  ScheduleSyntaxException(
      String input, String field, int position, String problem, String allowed) {
    super(problem + " (" + field + ")\n" + pointAt(input, position) + "\n" + allowed);
    this.field = field;
    this.position = position;
    this.problem = problem;
  }

  /** Returns the part of the input that was refused, for example {@code hour} or {@code zone}. */
  public String field() {
    return field;
  }

  /** Returns the index of the first character that does not fit, counted from 0. */
  public int position() {
    return position;
  }

  /** Returns the problem alone, on one line, without the input. */
  public String problem() {
    return problem;
  }

  private static String pointAt(String input, int position) {
    int at = Math.min(Math.max(position, 0), input.length());
    int from = Math.max(0, at - WINDOW);
    int to = Math.min(input.length(), at + WINDOW);
    String head = from > 0 ? "..." : "";
    String tail = to < input.length() ? "..." : "";
    StringBuilder shown = new StringBuilder("  ").append(head);
    for (int i = from; i < to; i++) {
      char c = input.charAt(i);
      shown.append(c < ' ' || Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return shown.append(tail).append("\n  ").append(" ".repeat(head.length() + at - from)) + "^";
  }
}
