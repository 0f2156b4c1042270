package dev.monotick.server.access;

import dev.monotick.server.problem.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;

/** Lets a caller to a handler only if he has what it {@link RequiresRole}, and hands him to it. */
final class AccessRules implements HandlerInterceptor, HandlerMethodArgumentResolver {

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (!(handler instanceof HandlerMethod method)
        || method.getBean() instanceof ErrorController
        || !method.getBeanType().getName().startsWith("dev.monotick.")) {
      return true;
    }
    if (method.hasMethodAnnotation(NoRoleRequired.class)) {
      return true;
    }
    RequiresRole needs =
        Optional.ofNullable(
                AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), RequiresRole.class))
            .or(
                () ->
                    Optional.ofNullable(
                        AnnotatedElementUtils.findMergedAnnotation(
                            method.getBeanType(), RequiresRole.class)))
            .orElseThrow(() -> Problem.forbidden("this operation is not permitted"));
    Caller caller = current();
    if (!caller.role().covers(needs.value())) {
      throw Problem.forbidden(
          "this needs the role " + needs.value() + ", but this key is " + caller.role());
    }
    if (needs.platform() && caller.home().isPresent()) {
      throw Problem.forbidden("this needs a key of the whole installation, not of a tenant");
    }
    return true;
  }

  private static Caller current() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    if (authentication != null && authentication.getPrincipal() instanceof Caller caller) {
      return caller;
    }
    throw Problem.unauthenticated("give an API key as Authorization: Bearer mt_…");
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Caller.class;
  }

  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    return current();
  }
}
