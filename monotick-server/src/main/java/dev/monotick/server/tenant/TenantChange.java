package dev.monotick.server.tenant;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What somebody wants a tenant to be. Read by hand, since in a patch a quota that is null and one
 * that is not there are two things.
 *
 * @param title what people call it
 * @param weight its share
 * @param suspended whether nobody may act for it
 * @param retainedPolicy TRIM or REFUSE
 * @param quotas those that change: -1 for unlimited, null for the default
 */
record TenantChange(
    Optional<String> title,
    Optional<Integer> weight,
    Optional<Boolean> suspended,
    Optional<String> retainedPolicy,
    Map<Quota, @Nullable Long> quotas) {

  /** What the body of a request may have; for the document of the API. */
  record Body(
      String name,
      String title,
      int weight,
      boolean suspended,
      @Schema(allowableValues = {"TRIM", "REFUSE"}) String retainedPolicy,
      @Schema(description = "a number, \"unlimited\", or null for the default")
          Map<String, Object> quotas) {}

  private static final int LONGEST_TITLE = 200;
  private static final int GREATEST_WEIGHT = 1_000;
  private static final List<String> KNOWN =
      List.of("name", "title", "weight", "suspended", "retainedPolicy", "quotas");

  static TenantChange read(JsonNode body) {
    if (!body.isObject()) {
      throw Problem.invalid("", "the body must be an object");
    }
    for (Map.Entry<String, JsonNode> each : body.properties()) {
      if (!KNOWN.contains(each.getKey())) {
        throw Problem.invalid(each.getKey(), each.getKey() + " is not known; there are " + KNOWN);
      }
    }
    return new TenantChange(
        given(body, "title").map(TenantChange::title),
        given(body, "weight").map(node -> (int) number("weight", node, 1, GREATEST_WEIGHT)),
        given(body, "suspended").map(TenantChange::suspended),
        given(body, "retainedPolicy").map(TenantChange::policy),
        given(body, "quotas").map(TenantChange::quotas).orElse(Map.of()));
  }

  /** What changes, for the audit. */
  Map<String, Object> detail() {
    Map<String, Object> detail = new LinkedHashMap<>();
    title.ifPresent(value -> detail.put("title", value));
    weight.ifPresent(value -> detail.put("weight", value));
    suspended.ifPresent(value -> detail.put("suspended", value));
    retainedPolicy.ifPresent(value -> detail.put("retainedPolicy", value));
    quotas.forEach(
        (quota, limit) ->
            detail.put(quota.field(), limit == null ? "default" : TenantView.shown(limit)));
    return detail;
  }

  private static Optional<JsonNode> given(JsonNode body, String field) {
    JsonNode node = body.get(field);
    if (node != null && node.isNull()) {
      throw Problem.invalid(field, field + " must not be null");
    }
    return Optional.ofNullable(node);
  }

  private static String title(JsonNode node) {
    if (!node.isString() || node.asString().length() > LONGEST_TITLE) {
      throw Problem.invalid("title", "title must be a text of at most " + LONGEST_TITLE);
    }
    return node.asString();
  }

  private static boolean suspended(JsonNode node) {
    if (!node.isBoolean()) {
      throw Problem.invalid("suspended", "suspended must be true or false, but was " + node);
    }
    return node.asBoolean();
  }

  private static String policy(JsonNode node) {
    if (node.isString() && List.of("TRIM", "REFUSE").contains(node.asString())) {
      return node.asString();
    }
    throw Problem.invalid(
        "retainedPolicy", "retainedPolicy must be TRIM or REFUSE, but was " + node);
  }

  private static Map<Quota, @Nullable Long> quotas(JsonNode node) {
    if (!node.isObject()) {
      throw Problem.invalid("quotas", "quotas must be an object");
    }
    Map<Quota, @Nullable Long> quotas = new EnumMap<>(Quota.class);
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      quotas.put(quota(each.getKey()), limit("quotas." + each.getKey(), each.getValue()));
    }
    return quotas;
  }

  private static Quota quota(String field) {
    for (Quota quota : Quota.values()) {
      if (quota.field().equals(field)) {
        return quota;
      }
    }
    throw Problem.invalid("quotas." + field, "quotas." + field + " is not known");
  }

  private static @Nullable Long limit(String field, JsonNode node) {
    if (node.isNull()) {
      return null;
    }
    if (node.isString() && node.asString().equals("unlimited")) {
      return -1L;
    }
    return number(field, node, 0, Integer.MAX_VALUE);
  }

  private static long number(String field, JsonNode node, int least, int most) {
    if (!node.isIntegralNumber() || !node.canConvertToInt()) {
      throw Problem.invalid(
          field,
          field
              + " must be a whole number from "
              + least
              + " to "
              + most
              + (field.startsWith("quotas.") ? ", \"unlimited\", or null for the default" : "")
              + ", but was "
              + node);
    }
    return RequestFields.number(field, node.asInt(), 0, least, most);
  }
}
