package dev.monotick.server.access;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.stereotype.Component;

/**
 * Tokens of an OpenID Connect issuer, for people who have no API key: if the operator has named
 * one. A token must be signed by him, be for us, not be over, and say a tenant and a role; {@code
 * *} as tenant is the whole installation, and no tenant is no access.
 */
@Component
class OidcTokens {

  private static final String WHOLE_INSTALLATION = "*";

  private final @Nullable JwtDecoder decoder;
  private final String tenantClaim;
  private final String roleClaim;

  /**
   * Who a token says somebody is.
   *
   * @param subject what identifies him
   * @param name what people call him
   * @param role what he may do
   * @param tenant whose he is; empty for the whole installation
   */
  record User(String subject, String name, Role role, Optional<String> tenant) {}

  OidcTokens(ServerSettings settings) {
    this.tenantClaim = settings.get(PlatformSettings.OIDC_TENANT_CLAIM);
    this.roleClaim = settings.get(PlatformSettings.OIDC_ROLE_CLAIM);
    String issuer = settings.get(PlatformSettings.OIDC_ISSUER);
    String keys = settings.get(PlatformSettings.OIDC_JWK_SET_URI);
    if (issuer.isEmpty() && !keys.isEmpty()) {
      throw new IllegalArgumentException(
          "MONOTICK_OIDC_JWK_SET_URI is set and MONOTICK_OIDC_ISSUER is not; set both or none");
    }
    this.decoder =
        issuer.isEmpty()
            ? null
            : decoder(issuer, keys, settings.get(PlatformSettings.OIDC_AUDIENCE));
  }

  /** The issuer is asked when the first token comes: he may start after us. */
  private static JwtDecoder decoder(String issuer, String keys, String audience) {
    List<OAuth2TokenValidator<Jwt>> rules = new ArrayList<>();
    rules.add(new JwtTimestampValidator());
    rules.add(new JwtIssuerValidator(issuer));
    rules.add(
        new JwtClaimValidator<@Nullable List<String>>(
            JwtClaimNames.AUD, of -> of != null && of.contains(audience)));
    OAuth2TokenValidator<Jwt> all = new DelegatingOAuth2TokenValidator<>(rules);
    return new SupplierJwtDecoder(
        () -> {
          NimbusJwtDecoder made =
              keys.isEmpty()
                  ? NimbusJwtDecoder.withIssuerLocation(issuer).build()
                  : NimbusJwtDecoder.withJwkSetUri(keys).build();
          made.setJwtValidator(all);
          return made;
        });
  }

  /** Says whether tokens are taken at all. */
  boolean isEnabled() {
    return decoder != null;
  }

  /**
   * Reads a token.
   *
   * @throws Problem with 401 if it is none of his or not for us, with 403 if it gives no rights
   */
  User read(String token) {
    if (decoder == null) {
      throw Problem.unauthenticated("this is no API key, and tokens are not taken here");
    }
    Jwt jwt;
    try {
      jwt = decoder.decode(token);
    } catch (JwtException e) {
      throw Problem.unauthenticated("this token is not valid: " + e.getMessage());
    }
    String subject = Optional.ofNullable(jwt.getSubject()).orElse("");
    String tenant = Optional.ofNullable(jwt.getClaimAsString(tenantClaim)).orElse("");
    if (subject.isEmpty() || tenant.isEmpty()) {
      throw Problem.forbidden("the token must have sub and " + tenantClaim);
    }
    String name =
        Optional.ofNullable(jwt.getClaimAsString("preferred_username"))
            .or(() -> Optional.ofNullable(jwt.getClaimAsString("email")))
            .orElse(subject);
    return new User(
        subject,
        name,
        role(jwt),
        tenant.equals(WHOLE_INSTALLATION) ? Optional.empty() : Optional.of(tenant));
  }

  private Role role(Jwt jwt) {
    String said = Optional.ofNullable(jwt.getClaimAsString(roleClaim)).orElse("");
    try {
      return Role.valueOf(said.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw Problem.forbidden(
          "the token's " + roleClaim + " must be admin, operator, viewer or agent");
    }
  }
}
