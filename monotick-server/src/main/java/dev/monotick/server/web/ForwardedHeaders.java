package dev.monotick.server.web;

import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out who calls through a proxy, if the operator says that there is one: {@code
 * X-Forwarded-For} and {@code X-Forwarded-Proto} are believed when they come from a proxy that he
 * trusts. Each proxy adds the address that it saw at the end of the list; so it is read from there,
 * over those that are trusted too, and the first that is not is the client. What stands before it
 * is what the client says of himself.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class ForwardedHeaders extends OncePerRequestFilter {

  private static final List<String> PRIVATE =
      List.of(
          "127.0.0.0/8",
          "10.0.0.0/8",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "169.254.0.0/16",
          "100.64.0.0/10",
          "::1/128",
          "fc00::/7",
          "fe80::/10");

  private final boolean enabled;
  private final List<Cidr> trusted;

  ForwardedHeaders(ServerSettings settings) {
    this.enabled = settings.get(PlatformSettings.FORWARDED_HEADERS);
    this.trusted = trusted(settings.get(PlatformSettings.TRUSTED_PROXIES));
  }

  private static List<Cidr> trusted(String given) {
    List<String> texts =
        Stream.of(given.split(",", -1)).map(String::strip).filter(each -> !each.isEmpty()).toList();
    try {
      return (texts.isEmpty() ? PRIVATE : texts).stream().map(Cidr::parse).toList();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("MONOTICK_SERVER_TRUSTED_PROXIES " + e.getMessage(), e);
    }
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !enabled || !isTrusted(String.valueOf(request.getRemoteAddr()));
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // the wrapped request is not kept over the wait
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    chain.doFilter(
        new Forwarded(
            request,
            client(String.valueOf(request.getRemoteAddr()), all(request, "X-Forwarded-For")),
            scheme(all(request, "X-Forwarded-Proto"))),
        response);
  }

  /** Returns the values of a header that may be there several times, with commas in each. */
  private static List<String> all(HttpServletRequest request, String header) {
    List<String> all = new ArrayList<>();
    for (String each : Collections.list(request.getHeaders(header))) {
      all.addAll(Arrays.asList(each.split(",", -1)));
    }
    return all.stream().map(String::strip).toList();
  }

  private String client(String peer, List<String> path) {
    String client = peer;
    for (int i = path.size() - 1; i >= 0; i--) {
      String next = withoutPort(path.get(i));
      if (!Cidr.isLiteral(next)) {
        return client; // nobody can tell who it was before
      }
      client = next;
      if (!isTrusted(client)) {
        return client;
      }
    }
    return client;
  }

  /** Returns 192.0.2.1 of 192.0.2.1:80, and 2001:db8::1 of [2001:db8::1]:443. */
  private static String withoutPort(String text) {
    if (text.startsWith("[") && text.indexOf(']') > 0) {
      return text.substring(1, text.indexOf(']'));
    }
    int colon = text.indexOf(':');
    return colon > 0 && colon == text.lastIndexOf(':') ? text.substring(0, colon) : text;
  }

  private boolean isTrusted(String text) {
    try {
      InetAddress address = Cidr.literal(text);
      return trusted.stream().anyMatch(each -> each.contains(address));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns what the proxy next to us was called by; none if it does not say. */
  private static Optional<String> scheme(List<String> given) {
    return given.isEmpty()
        ? Optional.empty()
        : Optional.of(given.get(given.size() - 1))
            .filter(each -> each.equalsIgnoreCase("https") || each.equalsIgnoreCase("http"));
  }

  private static final class Forwarded extends HttpServletRequestWrapper {

    private final String address;
    private final @Nullable String scheme;

    Forwarded(HttpServletRequest request, String address, Optional<String> scheme) {
      super(request);
      this.address = address;
      this.scheme = scheme.orElse(null);
    }

    @Override
    public String getRemoteAddr() {
      return address;
    }

    @Override
    public String getRemoteHost() {
      return address;
    }

    @Override
    public String getScheme() {
      return scheme == null ? super.getScheme() : scheme;
    }

    @Override
    public boolean isSecure() {
      return scheme == null ? super.isSecure() : scheme.equalsIgnoreCase("https");
    }
  }
}
