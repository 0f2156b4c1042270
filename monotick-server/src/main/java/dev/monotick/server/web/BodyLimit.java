package dev.monotick.server.web;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.ProblemWriter;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses bodies that are too large: at once if they say so, else when that much was read. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
class BodyLimit extends OncePerRequestFilter {

  private final long most;
  private final ProblemWriter problems;

  BodyLimit(ServerSettings settings, ProblemWriter problems) {
    this.most = settings.get(SettingCatalog.BODY_LIMIT);
    this.problems = problems;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getContentLengthLong() > most) {
      response.setHeader("Connection", "close"); // nobody reads what is still to come
      problems.write(response, tooLarge());
      return;
    }
    chain.doFilter(new Limited(request), response);
  }

  private Problem tooLarge() {
    return Problem.of(
        413, "too-large", "a body may have " + most + " bytes; see MONOTICK_SERVER_BODY_LIMIT");
  }

  private final class Limited extends HttpServletRequestWrapper {

    Limited(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new Counting(super.getInputStream());
    }

    @Override
    public BufferedReader getReader() throws IOException {
      return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }
  }

  private final class Counting extends ServletInputStream {

    private final ServletInputStream in;
    private long read;

    Counting(ServletInputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      int value = in.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int some = in.read(buffer, offset, length);
      count(Math.max(0, some));
      return some;
    }

    private void count(int some) {
      read += some;
      if (read > most) {
        throw tooLarge();
      }
    }

    @Override
    public boolean isFinished() {
      return in.isFinished();
    }

    @Override
    public boolean isReady() {
      return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      in.setReadListener(listener);
    }
  }
}
