package dev.monotick.server.execution;

import dev.monotick.job.JobContext;
import dev.monotick.server.execution.CallFailedException.How;
import dev.monotick.server.remote.Callbacks;
import dev.monotick.server.secret.SecretLookup;
import dev.monotick.server.trace.TraceHeaders;
import dev.monotick.spi.time.TimeSource;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.stereotype.Component;

/** Fills in what a call says: placeholders, what tells the attempt, and the signature. */
@Component
class CallHeaders {

  private final SecretLookup secrets;
  private final TimeSource time;

  CallHeaders(SecretLookup secrets, TimeSource time) {
    this.secrets = secrets;
    this.time = time;
  }

  /** Returns the body of a call. */
  static byte[] body(JobContext<HttpCall> job) {
    String body = job.payload().body();
    return body == null
        ? new byte[0]
        : Template.fill(body, name -> value(job, name)).getBytes(StandardCharsets.UTF_8);
  }

  private static String value(JobContext<HttpCall> job, String name) {
    return switch (name) {
      case "job.id" -> job.id().toString();
      case "nominalTime" -> nominal(job).orElse("");
      case "attempt" -> String.valueOf(job.attempt());
      case "tenant" -> job.lane().tenant();
      case "idempotencyKey" -> job.idempotencyKey();
      default -> throw new IllegalArgumentException("unknown placeholder " + name);
    };
  }

  /** The tick that a job is for; jobs that no schedule made have none. */
  private static Optional<String> nominal(JobContext<?> job) {
    return Optional.ofNullable(job.headers().get("nominal"));
  }

  /**
   * Grows with every claim of a job, and for jobs of a schedule with every tick: a call of an older
   * tick is told from one of a newer, whoever makes them.
   */
  private static String fence(JobContext<?> job) {
    String tick = job.headers().get("fence");
    return tick == null ? String.valueOf(job.run()) : tick + "." + job.run();
  }

  /**
   * Returns what each request of a call carries. Secrets are looked up now, so that a missing one
   * is told before anything is sent.
   */
  OutgoingCall.Headers of(JobContext<HttpCall> job, Optional<Callbacks.Invitation> invitation)
      throws CallFailedException {
    HttpCall call = job.payload();
    Map<String, String> everywhere = new LinkedHashMap<>();
    Map<String, String> atHome = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, String> known = known(job);
    for (Map.Entry<String, String> each : call.headers().entrySet()) {
      String name = each.getKey();
      boolean secret =
          Template.hasSecret(each.getValue())
              || name.equalsIgnoreCase("Authorization")
              || name.equalsIgnoreCase("Cookie");
      (secret ? atHome : everywhere)
          .put(
              name,
              Template.fill(
                  each.getValue(),
                  placeholder ->
                      placeholder.startsWith(Template.SECRET)
                          ? String.valueOf(known.get(placeholder))
                          : value(job, placeholder)));
    }
    invitation.ifPresent(
        given -> {
          atHome.put("Monotick-Callback", given.url());
          atHome.put("Monotick-Callback-Token", given.token());
        });
    ours(job, everywhere);
    Optional<String> key =
        call.secret() == null ? Optional.empty() : Optional.of(secret(job, call.secret()));
    return (method, url, body, home) -> {
      Map<String, String> headers = new LinkedHashMap<>(everywhere);
      if (body.length > 0
          && headers.keySet().stream().noneMatch("Content-Type"::equalsIgnoreCase)) {
        headers.put("Content-Type", "application/json");
      }
      if (home) {
        headers.putAll(atHome);
        key.ifPresent(
            given -> headers.put("Monotick-Signature", signature(given, method, url, body)));
      }
      return headers;
    };
  }

  private static void ours(JobContext<HttpCall> job, Map<String, String> headers) {
    headers.put("Idempotency-Key", job.idempotencyKey());
    headers.put("Monotick-Job", job.id().toString());
    headers.put("Monotick-Attempt", String.valueOf(job.attempt()));
    headers.put("Monotick-Fence", fence(job));
    nominal(job).ifPresent(at -> headers.put("Monotick-Nominal-Time", at));
    headers.putAll(TraceHeaders.of(job.headers())); // a call that is traced says its own
  }

  /** Returns the values of all placeholders that are secrets. */
  private Map<String, String> known(JobContext<HttpCall> job) throws CallFailedException {
    Map<String, String> known = new LinkedHashMap<>();
    for (String value : job.payload().headers().values()) {
      for (String name : Template.secrets(value)) {
        known.put(Template.SECRET + name, secret(job, name));
      }
    }
    return known;
  }

  private String secret(JobContext<HttpCall> job, String name) throws CallFailedException {
    try {
      return secrets
          .value(job.lane().tenant(), name)
          .orElseThrow(
              () -> new CallFailedException(How.REFUSED, "there is no secret \"" + name + "\""));
    } catch (IllegalStateException e) {
      throw new CallFailedException(How.REFUSED, "secret \"" + name + "\": " + e.getMessage());
    }
  }

  /** So the called service can tell that we call, what we say, and that nobody repeats it later. */
  private String signature(String key, String method, URI url, byte[] body) {
    long at = time.now().getEpochSecond();
    return "t="
        + at
        + ",v1="
        + HexFormat.of().formatHex(sign(key, Instant.ofEpochSecond(at), method, url, body));
  }

  static byte[] sign(String key, Instant at, String method, URI url, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update(
          (at.getEpochSecond() + "." + method + "." + url + ".").getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }
}
