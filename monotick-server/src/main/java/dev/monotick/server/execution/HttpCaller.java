package dev.monotick.server.execution;

import dev.monotick.server.execution.CallFailedException.How;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import dev.monotick.server.trace.CallSpan;
import dev.monotick.server.trace.Tracing;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.springframework.beans.factory.DisposableBean;

/**
 * Makes HTTP calls that tenants ask for, and trusts neither them nor those who answer: see {@link
 * AddressGuard} for where calls may go; answers are cut where they become too long, and calls where
 * they take too long, however slowly bytes drip. Thread-safe.
 *
 * <p>Apache's client and not the JDK's, because that one looks names up by itself: between our look
 * and its own the answer may change.
 */
final class HttpCaller implements DisposableBean {

  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final CallTimeouts watch;
  private final Tracing tracing;
  private final int redirects;
  private final int responseLimit;
  private final CloseableHttpClient client;

  HttpCaller(AddressGuard guard, CallTimeouts watch, ServerSettings settings, Tracing tracing) {
    this.watch = watch;
    this.tracing = tracing;
    this.redirects = settings.get(ExecutionSettings.HTTP_REDIRECTS);
    this.responseLimit = settings.get(ExecutionSettings.HTTP_RESPONSE_LIMIT);
    Timeout longest =
        Timeout.ofMilliseconds(settings.get(ExecutionSettings.HTTP_TIMEOUT).toMillis());
    int most = settings.get(SettingCatalog.WORKER_CONCURRENCY);
    PoolingHttpClientConnectionManager connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setDnsResolver(new GuardedNames(guard))
            .setMaxConnTotal(most)
            .setMaxConnPerRoute(most)
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(
                        settings.get(ExecutionSettings.HTTP_CONNECT_TIMEOUT).toMillis(),
                        TimeUnit.MILLISECONDS)
                    .setSocketTimeout(longest)
                    // One that the other side has closed must not make a call look broken.
                    .setValidateAfterInactivity(TimeValue.ofMilliseconds(100))
                    .setTimeToLive(TimeValue.ofMinutes(1))
                    .build())
            .build();
    this.client =
        HttpClients.custom()
            .setConnectionManager(connections)
            .setDefaultRequestConfig(
                RequestConfig.custom()
                    .setConnectionRequestTimeout(longest)
                    .setResponseTimeout(longest)
                    .build())
            .setUserAgent("monotick")
            .disableRedirectHandling()
            .disableAutomaticRetries()
            .disableCookieManagement()
            .disableContentCompression() // a few bytes must not become many
            .disableAuthCaching()
            .evictIdleConnections(TimeValue.ofSeconds(30))
            .build();
  }

  /** The guard, where the client looks for addresses: it connects to what this returns. */
  private record GuardedNames(AddressGuard guard) implements DnsResolver {

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return guard.resolve(host).toArray(InetAddress[]::new);
    }

    @Override
    public List<InetSocketAddress> resolve(String host, int port) throws UnknownHostException {
      return guard.resolve(host).stream().map(each -> new InetSocketAddress(each, port)).toList();
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }

  /** One request, and where the answer to it sends us. */
  private record Hop(HttpResponseData answer, Optional<String> location) {}

  /** Makes a call and follows it where it is sent. */
  HttpResponseData call(OutgoingCall call) throws CallFailedException {
    String method = call.method();
    URI url = call.url();
    byte[] body = call.body();
    for (int followed = 0; ; followed++) {
      Hop hop = request(call, method, url, body);
      if (!REDIRECTS.contains(hop.answer().status()) || hop.location().isEmpty()) {
        return hop.answer();
      }
      if (followed == redirects) {
        throw new CallFailedException(
            How.REFUSED,
            redirects == 0
                ? "answered " + hop.answer().status() + ", and redirects are not followed"
                : "redirected more than " + redirects + " times");
      }
      URI next = next(url, hop.location().get());
      int status = hop.answer().status();
      if (status == 303 || (status <= 302 && method.equals("POST"))) {
        method = method.equals("HEAD") ? "HEAD" : "GET";
        body = new byte[0];
      }
      url = next;
    }
  }

  private static URI next(URI from, String location) throws CallFailedException {
    URI next;
    try {
      next = from.resolve(location);
    } catch (IllegalArgumentException e) {
      throw new CallFailedException(How.REFUSED, "redirected to what is no URL");
    }
    Optional<String> wrong = HttpTargets.wrong(next.toString());
    if (wrong.isPresent()) {
      throw new CallFailedException(How.REFUSED, "redirected, but the target " + wrong.get());
    }
    if (from.getScheme().equalsIgnoreCase("https") && !next.getScheme().equalsIgnoreCase("https")) {
      throw new CallFailedException(How.REFUSED, "redirected from https to http");
    }
    return next;
  }

  private Hop request(OutgoingCall call, String method, URI url, byte[] body)
      throws CallFailedException {
    try (CallSpan span = tracing.calling(method, url)) {
      try {
        Hop hop = send(call, method, url, body, span.headers());
        span.answered(hop.answer().status());
        return hop;
      } catch (CallFailedException e) {
        span.failed(e.how().name());
        throw e;
      }
    }
  }

  private Hop send(
      OutgoingCall call, String method, URI url, byte[] body, Map<String, String> trace)
      throws CallFailedException {
    HttpUriRequestBase request = new HttpUriRequestBase(method, url);
    boolean home = HttpTargets.sameOrigin(call.url(), url);
    call.headers().of(method, url, body, home).forEach(request::setHeader);
    trace.forEach(request::setHeader);
    if (body.length > 0) {
      request.setEntity(new ByteArrayEntity(body, null));
    }
    try (CallTimeouts.Watched watched = watch.over(call.end(), call.over(), request::cancel)) {
      try (ClassicHttpResponse response = client.executeOpen(host(url), request, null)) {
        return read(response);
      } catch (IOException e) {
        throw failed(e, url, watched.isStopped());
      } catch (RuntimeException e) {
        // The client throws such for odd answers.
        throw new CallFailedException(How.BROKEN, url.getHost() + ": " + e.getMessage());
      }
    }
  }

  private static HttpHost host(URI url) {
    return new HttpHost(url.getScheme(), url.getHost(), url.getPort());
  }

  private Hop read(ClassicHttpResponse response) throws IOException {
    byte[] bytes = new byte[0];
    if (response.getEntity() != null) {
      try (InputStream in = new Unfinished(response.getEntity().getContent())) {
        bytes = in.readNBytes(responseLimit + 1);
      }
    }
    boolean truncated = bytes.length > responseLimit;
    String text =
        new String(bytes, 0, Math.min(bytes.length, responseLimit), StandardCharsets.UTF_8);
    return new Hop(
        new HttpResponseData(response.getCode(), text, truncated, header(response, "Retry-After")),
        header(response, "Location"));
  }

  private static Optional<String> header(ClassicHttpResponse response, String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }

  private static CallFailedException failed(IOException e, URI url, boolean stopped) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof AddressGuard.RefusedException) {
        return new CallFailedException(How.REFUSED, String.valueOf(at.getMessage()));
      }
    }
    if (stopped) {
      return new CallFailedException(
          How.BROKEN, url.getHost() + " took too long; the call may have been received");
    }
    boolean unheard =
        e instanceof UnknownHostException
            || e instanceof ConnectException
            || e instanceof ConnectTimeoutException
            || e instanceof NoRouteToHostException
            || e instanceof ConnectionRequestTimeoutException
            || e instanceof SSLHandshakeException
            || e instanceof SSLPeerUnverifiedException;
    return new CallFailedException(
        unheard ? How.CONNECT : How.BROKEN,
        (unheard ? "no connection to " : "the call may have been received, but broke off: ")
            + url.getHost()
            + ": "
            + e.getClass().getSimpleName()
            + ": "
            + e.getMessage());
  }

  /** Closing a stream of the client reads it to its end, which may never come. */
  private static final class Unfinished extends java.io.FilterInputStream {

    Unfinished(InputStream in) {
      super(in);
    }

    @Override
    public void close() {
      // closing the answer frees the connection, or drops it if there is more to read
    }
  }

  @Override
  public void destroy() {
    client.close(CloseMode.IMMEDIATE);
  }
}
