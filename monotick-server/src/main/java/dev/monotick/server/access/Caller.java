package dev.monotick.server.access;

import java.util.Optional;

/**
 * Who makes a request, and for which tenant. Handlers of requests take one as a parameter, and give
 * its {@link #tenant} to every statement: that is all there is to isolation.
 *
 * @param id what identifies him for good: the id of a key, or the subject of a token
 * @param name what people call him; the actor of what he does
 * @param type KEY, USER or AGENT, as the audit has it
 * @param role what he may do
 * @param home the tenant he belongs to; empty for the whole installation
 * @param tenant the tenant that this request is about
 */
public record Caller(
    String id, String name, String type, Role role, Optional<String> home, String tenant) {

  /** The attribute of a request that has who makes it, once that is known. */
  public static final String ATTRIBUTE = "dev.monotick.caller";

  /** Returns how he is named where somebody is named: {@code key/ID} or {@code user/SUBJECT}. */
  public String reference() {
    return (type.equals("USER") ? "user/" : "key/") + id;
  }

  /** Says whether he belongs to no tenant and administers all of them. */
  public boolean isPlatformAdmin() {
    return home.isEmpty() && role == Role.ADMIN;
  }
}
