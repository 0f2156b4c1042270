package dev.monotick.server.remote;

import dev.monotick.job.JobContext;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * What a called service is given so that it can call back: an address, and a token that proves it.
 */
@Component
public class Callbacks {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final RemoteWorks works;
  private final String base;
  private final Duration usualTimeout;

  /**
   * What a called service is given.
   *
   * @param id the work's name
   * @param url where to call back
   * @param token what to send along; nobody can find it out any more
   */
  public record Invitation(UUID id, String url, String token) {

    @Override
    public String toString() {
      return "Invitation[" + url + "]";
    }
  }

  Callbacks(RemoteWorks works, ServerSettings settings) {
    this.works = works;
    this.base = settings.get(ExecutionSettings.PUBLIC_URL).strip().replaceAll("/+$", "");
    this.usualTimeout = settings.get(ExecutionSettings.CALLBACK_TIMEOUT);
    if (!base.isEmpty() && !base.matches("https?://.+")) {
      throw new IllegalArgumentException(
          "MONOTICK_PUBLIC_URL must be http://… or https://…, but was \"" + base + "\"");
    }
  }

  /** Says whether others can reach this installation. */
  public boolean isReachable() {
    return !base.isEmpty();
  }

  /** Invites the service that is about to be called to call back. */
  public Invitation invite(JobContext<?> job, Optional<Duration> timeout) {
    byte[] random = new byte[32];
    RANDOM.nextBytes(random);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    UUID id = works.beginCall(job, hash(token), timeout.orElse(usualTimeout));
    return new Invitation(id, base + "/v1/callbacks/" + id, token);
  }

  static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
