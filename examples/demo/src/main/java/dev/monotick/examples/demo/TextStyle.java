package dev.monotick.examples.demo;

/** How words are made to stand out. */
enum TextStyle {
  /** Not at all. */
  PLAIN,
  /** By the colours of the terminal. */
  COLOUR;

  String strong(String text) {
    return wrap("1", text);
  }

  String faint(String text) {
    return wrap("2", text);
  }

  String good(String text) {
    return wrap("32", text);
  }

  String notable(String text) {
    return wrap("33", text);
  }

  String bad(String text) {
    return wrap("31", text);
  }

  private String wrap(String code, String text) {
    return this == PLAIN ? text : "\033[" + code + "m" + text + "\033[0m";
  }
}
