package dev.monotick.server.web;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.Container;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Makes problems of what Tomcat refuses before the application sees it. */
@Configuration(proxyBeanMethods = false)
class TomcatPages {

  /** Tomcat makes one by its name. */
  public static final class ProblemValve extends ErrorReportValve {

    private static final JsonMapper JSON = new JsonMapper();

    @Override
    protected void report(Request request, Response response, @Nullable Throwable cause) {
      int status = response.getStatus();
      if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
        return;
      }
      try {
        response.setContentType("application/problem+json");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        Writer writer = response.getReporter();
        if (writer != null) {
          writer.write(JSON.writeValueAsString(ErrorPages.Refusals.of(status).document()));
          response.finishResponse();
        }
      } catch (IOException e) {
        container.getLogger().debug("the client has gone", e);
      }
    }
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemPages() {
    return factory ->
        factory.addContextCustomizers(
            context -> {
              Container parent = context.getParent();
              if (parent instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemValve.class.getName());
              }
            });
  }
}
