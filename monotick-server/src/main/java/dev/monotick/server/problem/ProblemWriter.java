package dev.monotick.server.problem;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes problem documents where no handler was reached. */
@Component
public class ProblemWriter {

  private final JsonMapper json;

  ProblemWriter(JsonMapper json) {
    this.json = json;
  }

  /** Answers a request with a refusal. */
  public void write(HttpServletResponse response, Problem problem) throws IOException {
    problem.headers().forEach(response::setHeader);
    response.setStatus(problem.status());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setCharacterEncoding("UTF-8");
    response.getWriter().write(json.writeValueAsString(problem.document()));
  }
}
