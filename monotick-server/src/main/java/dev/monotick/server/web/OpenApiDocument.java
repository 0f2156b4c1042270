package dev.monotick.server.web;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Says in the OpenAPI document what holds for every operation: who may call it, and refusals. */
@Configuration(proxyBeanMethods = false)
class OpenApiDocument {

  private static final String BEARER = "bearer";
  private static final String PROBLEM = "Problem";

  static {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Caller.class); // he is no parameter
  }

  /** The role that an operation needs, for people and for tests that try them all. */
  @Bean
  OperationCustomizer roles() {
    return (operation, method) -> {
      Optional.ofNullable(
              AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), RequiresRole.class))
          .or(
              () ->
                  Optional.ofNullable(
                      AnnotatedElementUtils.findMergedAnnotation(
                          method.getBeanType(), RequiresRole.class)))
          .ifPresent(
              needs -> {
                operation.addExtension("x-role", needs.value().name());
                operation.addExtension("x-platform", needs.platform());
              });
      return operation;
    };
  }

  @Bean
  OpenApiCustomizer document() {
    return document -> {
      document.info(
          new Info()
              .title("Monotick")
              .version("v1")
              .description("Schedules, jobs, tenants, agents and audit of a Monotick installation.")
              .license(
                  new License()
                      .name("Apache-2.0")
                      .url("https://www.apache.org/licenses/LICENSE-2.0")));
      components(document)
          .addSecuritySchemes(
              BEARER,
              new SecurityScheme()
                  .type(SecurityScheme.Type.HTTP)
                  .scheme("bearer")
                  .description("An API key, or a token of the configured issuer."))
          .addSchemas(PROBLEM, problem());
      document.addSecurityItem(new SecurityRequirement().addList(BEARER));
      document.setServers(List.of()); // wherever it was read from
      Optional.ofNullable(document.getPaths())
          .ifPresent(
              paths ->
                  paths.forEach(
                      (path, item) ->
                          item.readOperationsMap()
                              .forEach((method, operation) -> refusals(path, method, operation))));
    };
  }

  private static Components components(OpenAPI document) {
    if (document.getComponents() == null) {
      document.setComponents(new Components());
    }
    return document.getComponents();
  }

  private static Schema<?> problem() {
    return new ObjectSchema()
        .description("RFC 9457")
        .addProperty("type", new StringSchema().description("urn:monotick:problem:…"))
        .addProperty("title", new StringSchema())
        .addProperty("status", new IntegerSchema())
        .addProperty("detail", new StringSchema().description("what is wrong, and the remedy"))
        .addProperty("field", new StringSchema().description("the field that is wrong"));
  }

  private static void refusals(String path, HttpMethod method, Operation operation) {
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put("400", "something that was given cannot be");
    refusals.put("401", "missing or invalid credentials");
    refusals.put("403", "the caller may not do that");
    if (path.contains("{")) {
      refusals.put("404", "there is no such thing, or it is another tenant's");
    }
    if (method != HttpMethod.GET) {
      refusals.put("409", "it is there already, or in a state that does not allow it");
    }
    if (operation.getRequestBody() != null) {
      refusals.put("413", "the body is too large");
      refusals.put("415", "the body is of another type than JSON");
    }
    if (method == HttpMethod.PUT || method == HttpMethod.PATCH || method == HttpMethod.DELETE) {
      refusals.put("412", "changed concurrently");
    }
    refusals.put("429", "too much, for now; Retry-After says for how long");
    refusals.put("503", "the database gave no answer in time; repeat it");
    refusals.forEach(
        (status, description) ->
            operation
                .getResponses()
                .computeIfAbsent(
                    status,
                    missing -> new ApiResponse().description(description).content(content())));
  }

  private static Content content() {
    return new Content()
        .addMediaType(
            "application/problem+json",
            new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM)));
  }
}
