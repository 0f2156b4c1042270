package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One step from a version of the schema to the next, as SQL for any schema's name.
 *
 * @param version counted from 1, without gaps
 * @param minCodeVersion the oldest version that code must know to work with the schema after this
 *     step; see {@link Migrations}
 * @param template SQL in which {@code @name} stands for a table of the schema and {@code @schema}
 *     for the schema itself
 */
record Migration(int version, String name, int minCodeVersion, String template) {

  private static final Pattern FILE =
      Pattern.compile("V([0-9]+)__([a-z0-9_]+)(?:\\.[a-z0-9_]+)?\\.sql");
  private static final Pattern MIN_CODE_VERSION =
      Pattern.compile("^-- min_code_version: ([0-9]+)$", Pattern.MULTILINE);
  private static final Pattern PLACEHOLDER = Pattern.compile("@([a-z_]+)");

  /** All steps, in order. An explicit list, because some class loaders cannot list resources. */
  static final List<Migration> ALL =
      ofResources(
          Migration.class,
          List.of(
              "V1__baseline.coordination.sql",
              "V1__baseline.upkeep.sql",
              "V1__baseline.job_tables.sql",
              "V1__baseline.job_enqueue.sql",
              "V1__baseline.job_limits.sql",
              "V1__baseline.job_completion.sql",
              "V1__baseline.job_promotion.sql",
              "V1__baseline.job_claim.sql",
              "V1__baseline.job_exchange.sql",
              "V1__baseline.job_runs.sql",
              "V1__baseline.job_rescue.sql",
              "V1__baseline.job_scan.sql",
              "V1__baseline.job_upkeep.sql"));

  /**
   * Returns the steps in files next to a class, in order. Files of one version are parts of one
   * step, such as {@code V1__baseline.tables.sql} and {@code V1__baseline.functions.sql}; only the
   * first part declares the minimum code version.
   */
  static List<Migration> ofResources(Class<?> home, List<String> files) {
    Map<String, String> steps = new LinkedHashMap<>();
    for (String file : files) {
      String step = file.replaceFirst("\\..*", ".sql");
      steps.merge(step, read(home, file), (before, part) -> before + "\n" + part);
    }
    return steps.entrySet().stream().map(step -> of(step.getKey(), step.getValue())).toList();
  }

  private static String read(Class<?> home, String file) {
    try (InputStream resource = home.getResourceAsStream(file)) {
      if (resource == null) {
        throw new IllegalStateException(file + " is missing from the jar; repackage it completely");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the step in a file of that name and content. */
  static Migration of(String file, String content) {
    Matcher name = FILE.matcher(file);
    // The checksum must not depend on how a checkout writes the ends of lines.
    String template = content.replace("\r\n", "\n");
    Matcher oldest = MIN_CODE_VERSION.matcher(template);
    if (!name.matches() || !oldest.find()) {
      throw new IllegalArgumentException(
          file + " must be named V1__what.sql and have a line like -- min_code_version: 1");
    }
    return new Migration(
        Integer.parseInt(name.group(1)),
        name.group(2),
        Integer.parseInt(oldest.group(1)),
        template);
  }

  /** Returns the SQL for a schema of that name. */
  String sql(SchemaName schema) {
    return resolve(template, schema);
  }

  /** Returns what tells this step from a changed one: the SHA-256 of the template. */
  String checksum() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(template.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns version and name, as people read them. */
  String title() {
    return version + " (" + name + ")";
  }

  /** Puts the schema's name into a template. */
  static String resolve(String template, SchemaName schema) {
    return PLACEHOLDER.matcher(template).replaceAll(match -> nameOf(match, schema));
  }

  private static String nameOf(MatchResult match, SchemaName schema) {
    String name = match.group(1);
    return name.equals("schema") ? schema.quoted() : schema.quoted() + "." + name;
  }
}
