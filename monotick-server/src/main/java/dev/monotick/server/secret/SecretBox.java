package dev.monotick.server.secret;

import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.stereotype.Component;

/**
 * Encrypts what must not be read by those who read the database: AES-256-GCM under the operator's
 * key, each value bound to where it belongs, so that nobody can put it elsewhere. What older keys
 * encrypted can be opened as long as they are given behind the newest. Thread-safe.
 */
@Component
public class SecretBox {

  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Map<String, SecretKeySpec> keys = new LinkedHashMap<>();

  /**
   * Something encrypted.
   *
   * @param keyId which key did
   * @param bytes nonce and text
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Sealed(String keyId, byte[] bytes) {}

  SecretBox(ServerSettings settings) {
    for (String text : settings.get(ExecutionSettings.SECRET_KEY).split(",", -1)) {
      if (!text.isBlank()) {
        byte[] key = key(text.strip());
        keys.put(id(key), new SecretKeySpec(key, "AES"));
      }
    }
  }

  private static byte[] key(String text) {
    try {
      byte[] key = Base64.getDecoder().decode(text);
      if (key.length == 32) {
        return key;
      }
    } catch (IllegalArgumentException e) {
      // told below, like one of another length; without the text, which is a secret
    }
    throw new IllegalArgumentException(
        "MONOTICK_SECRET_KEY must be 32 random bytes in base64; make one with: openssl rand -base64"
            + " 32");
  }

  private static String id(byte[] key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key);
      return HexFormat.of().formatHex(Arrays.copyOf(hash, 4));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Says whether there is a key. */
  public boolean isReady() {
    return !keys.isEmpty();
  }

  /** Returns the id of the key that encrypts; empty if there is none. */
  public Optional<String> keyId() {
    return keys.keySet().stream().findFirst();
  }

  /**
   * Encrypts.
   *
   * @param place where it belongs
   * @throws IllegalStateException if there is no key
   */
  public Sealed seal(String place, String value) {
    String id = keyId().orElseThrow(() -> new IllegalStateException("there is no key"));
    byte[] nonce = new byte[NONCE];
    RANDOM.nextBytes(nonce);
    byte[] text =
        cipher(Cipher.ENCRYPT_MODE, id, nonce, place, value.getBytes(StandardCharsets.UTF_8));
    return new Sealed(id, ByteBuffer.allocate(NONCE + text.length).put(nonce).put(text).array());
  }

  /**
   * Decrypts.
   *
   * @throws IllegalStateException if its key is not there, or it was changed or moved
   */
  public String open(String place, Sealed sealed) {
    if (!keys.containsKey(sealed.keyId())) {
      throw new IllegalStateException(
          "key "
              + sealed.keyId()
              + ", which encrypted it, is not in MONOTICK_SECRET_KEY; add it behind the newest");
    }
    byte[] nonce = Arrays.copyOf(sealed.bytes(), NONCE);
    byte[] text = Arrays.copyOfRange(sealed.bytes(), NONCE, sealed.bytes().length);
    return new String(
        cipher(Cipher.DECRYPT_MODE, sealed.keyId(), nonce, place, text), StandardCharsets.UTF_8);
  }

  /**
   * Returns a text that is the same for the same value and place, and tells nothing of the value to
   * who does not have the key.
   */
  public String mark(String place, String value) {
    String id = keyId().orElseThrow(() -> new IllegalStateException("there is no key"));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(keys.get(id));
      mac.update((place + "\n").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(mac.doFinal(value.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  private byte[] cipher(int mode, String id, byte[] nonce, String place, byte[] input) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, keys.get(id), new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("it was changed or moved, and cannot be decrypted", e);
    }
  }
}
