package dev.monotick.server.problem;

import dev.monotick.error.StoreException;
import jakarta.servlet.http.HttpServletRequest;
import java.sql.SQLException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Makes problem documents of all that goes wrong with a request; never shows a stack. */
@RestControllerAdvice
class ProblemAdvice {

  private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> refused(Problem problem) {
    return answer(problem);
  }

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> unreadable(HttpMessageNotReadableException e) {
    return answer(RequestBodies.problem("", e.getCause()));
  }

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> mistyped(MethodArgumentTypeMismatchException e) {
    Class<?> wanted = e.getRequiredType();
    return answer(
        Problem.invalid(
            e.getName(),
            e.getName()
                + " must be "
                + (wanted == null ? "of another type" : "a " + wanted.getSimpleName())
                + ", but was \""
                + e.getValue()
                + "\""));
  }

  /** The store gave no definite answer, or is away: the caller may repeat what he asked. */
  @ExceptionHandler({
    StoreException.class,
    CannotGetJdbcConnectionException.class,
    TransientDataAccessException.class,
    QueryTimeoutException.class,
    TransactionException.class
  })
  ResponseEntity<Map<String, Object>> away(Exception e, HttpServletRequest request) {
    log.warn("{} {}: {}", request.getMethod(), request.getRequestURI(), e.toString());
    return answer(
        Problem.unavailable(
            "the database gave no answer in time; repeat the request with the same"
                + " Idempotency-Key"));
  }

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> database(DataAccessException e, HttpServletRequest request) {
    if (e.getMostSpecificCause() instanceof SQLException sql
        && sql.getSQLState() != null
        && (sql.getSQLState().startsWith("08") || sql.getSQLState().startsWith("57P"))) {
      return away(e, request);
    }
    if (e.getMostSpecificCause() instanceof SQLException sql && "22021".equals(sql.getSQLState())) {
      return answer(
          Problem.invalid(
              "", "the request has a character that no text can have, such as \\u0000"));
    }
    return unexpected(e, request);
  }

  @ExceptionHandler
  void gone(AsyncRequestNotUsableException e) {
    log.debug("the client has gone: {}", e.getMessage());
  }

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> unexpected(Exception e, HttpServletRequest request) {
    if (e instanceof ErrorResponse known) {
      String detail = String.valueOf(known.getBody().getDetail());
      return answer(Problem.of(known.getStatusCode().value(), slug(known), detail));
    }
    log.error("{} {} failed", request.getMethod(), request.getRequestURI(), e);
    return answer(
        Problem.of(500, "internal", "this is our fault; the server's log says more of it"));
  }

  private static String slug(ErrorResponse known) {
    return switch (known.getStatusCode().value()) {
      case 400 -> "invalid";
      case 404 -> "not-found";
      case 405 -> "method-not-allowed";
      case 406 -> "not-acceptable";
      case 413 -> "too-large";
      case 415 -> "unsupported-media-type";
      default -> "refused";
    };
  }

  private static ResponseEntity<Map<String, Object>> answer(Problem problem) {
    HttpHeaders headers = new HttpHeaders();
    problem.headers().forEach(headers::set);
    headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    return ResponseEntity.status(problem.status()).headers(headers).body(problem.document());
  }
}
