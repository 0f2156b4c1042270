package dev.monotick.postgres.connection;

import java.sql.SQLException;
import java.util.regex.Pattern;

/** Keeps passwords out of what people read: a URL may carry one, and messages quote URLs. */
public final class SecretMask {

  private static final Pattern PARAMETER =
      Pattern.compile("(?i)((?:password|passwd|pwd|sslpassword)=)[^&;\\s\"')]*");
  private static final Pattern AUTHORITY = Pattern.compile("(//[^/@:\\s]*:)[^/\\s]*@");

  private SecretMask() {}

  /** Returns the text with stars for each password in a URL. */
  public static String scrub(String text) {
    String parameters = PARAMETER.matcher(text).replaceAll("$1***");
    return AUTHORITY.matcher(parameters).replaceAll("$1***@");
  }

  /**
   * Returns an exception without passwords: the same one, or if it or a cause shows one, a copy
   * that ends the chain, since each cause of it would be printed as well.
   */
  public static SQLException scrub(SQLException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      if (!scrub(message).equals(message)) {
        SQLException copy =
            new SQLException(
                scrub(String.valueOf(failure.getMessage())),
                failure.getSQLState(),
                failure.getErrorCode());
        copy.setStackTrace(failure.getStackTrace());
        return copy;
      }
    }
    return failure;
  }
}
