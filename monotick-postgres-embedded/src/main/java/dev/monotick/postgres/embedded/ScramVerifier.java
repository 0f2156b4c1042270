package dev.monotick.postgres.embedded;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the server keeps of a generated password, with one round of hashing in place of 4,096.
 *
 * <p>Rounds make it slow to guess what people think of. Nobody guesses 192 random bits, while every
 * connection pays for the rounds on both sides: in a young JVM most of all, whose compiler they
 * keep from the application's own code for seconds.
 */
final class ScramVerifier {

  private static final int ROUNDS = 1;
  private static final int SALT_BYTES = 16;
  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

  private ScramVerifier() {}

  /**
   * Returns it for a password of ASCII characters, as PostgreSQL writes it (RFC 5802, RFC 7677).
   */
  static String of(String password) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    try {
      byte[] salted = hmac(password.getBytes(StandardCharsets.US_ASCII), salt, FIRST_BLOCK);
      byte[] clientKey = hmac(salted, "Client Key".getBytes(StandardCharsets.US_ASCII));
      byte[] storedKey = MessageDigest.getInstance("SHA-256").digest(clientKey);
      byte[] serverKey = hmac(salted, "Server Key".getBytes(StandardCharsets.US_ASCII));
      Base64.Encoder base64 = Base64.getEncoder();
      return "SCRAM-SHA-256$%d:%s$%s:%s"
          .formatted(
              ROUNDS,
              base64.encodeToString(salt),
              base64.encodeToString(storedKey),
              base64.encodeToString(serverKey));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java lacks SHA-256, which every Java has", e);
    }
  }

  private static byte[] hmac(byte[] key, byte[]... parts) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (byte[] part : parts) {
      mac.update(part);
    }
    return mac.doFinal();
  }
}
