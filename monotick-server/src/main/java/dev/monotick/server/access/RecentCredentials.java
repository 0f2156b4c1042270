package dev.monotick.server.access;

import dev.monotick.spi.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Credentials that were right not long ago, as hashes. It is not trust: they are checked each time.
 * It only says that whoever has one is not guessing.
 */
@Component
class RecentCredentials {

  private static final long REMEMBERED = Duration.ofHours(1).toNanos();
  private static final int MOST = 10_000;

  private final TimeSource time;
  private final Map<String, Long> until = new ConcurrentHashMap<>();

  RecentCredentials(TimeSource time) {
    this.time = time;
  }

  /** How well a credential is known: one that was right a while ago is to be added again. */
  enum CredentialAge {
    UNKNOWN,
    OLD,
    FRESH
  }

  CredentialAge of(String credential) {
    Long end = until.get(hash(credential));
    long left = end == null ? 0 : end - time.nanos();
    return left <= 0
        ? CredentialAge.UNKNOWN
        : left < REMEMBERED / 2 ? CredentialAge.OLD : CredentialAge.FRESH;
  }

  void add(String credential) {
    if (until.size() >= MOST) {
      until.clear();
    }
    until.put(hash(credential), time.nanos() + REMEMBERED);
  }

  private static String hash(String credential) {
    try {
      return Base64.getEncoder()
          .encodeToString(
              MessageDigest.getInstance("SHA-256")
                  .digest(credential.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
