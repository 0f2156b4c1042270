package dev.monotick.server.web;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.ProblemWriter;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Makes a problem of what was refused before any handler, or outside of all of them. */
@Controller
@Hidden
class ErrorPages implements ErrorController {

  private final ProblemWriter problems;

  ErrorPages(ProblemWriter problems) {
    this.problems = problems;
  }

  @RequestMapping("/error")
  void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
    int status =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer known
            ? known
            : 404; // somebody asked for this very path
    problems.write(response, Refusals.of(status));
  }

  /** What there is to say when nothing is known but the status. */
  static final class Refusals {

    private Refusals() {}

    static Problem of(int status) {
      return switch (status) {
        case 400 -> Problem.of(400, "invalid", "the request is not as HTTP wants it");
        case 401 -> Problem.unauthenticated("give an API key as Authorization: Bearer mt_…");
        case 403 -> Problem.forbidden("this is not allowed");
        case 404 -> Problem.of(404, "not-found", "there is nothing here");
        case 405 -> Problem.of(405, "method-not-allowed", "this method is not for this path");
        case 413 -> Problem.of(413, "too-large", "the request is too large");
        case 414 -> Problem.of(414, "too-long", "the path is too long");
        case 431 -> Problem.of(431, "headers-too-large", "the headers are too large");
        case 503 -> Problem.unavailable("not now; repeat it");
        default ->
            status >= 500
                ? Problem.of(status, "internal", "this is our fault; the server's log says more")
                : Problem.of(status, "refused", "this cannot be done");
      };
    }
  }
}
