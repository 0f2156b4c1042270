package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

  private static final Pattern FILE = Pattern.compile("V([0-9]+)__([a-z0-9_]+)\\.sql");
  private static final Pattern MIN_CODE_VERSION =
      Pattern.compile("^-- min_code_version: ([0-9]+)$", Pattern.MULTILINE);
  private static final Pattern PLACEHOLDER = Pattern.compile("@([a-z_]+)");

  /**
   * All steps, in order. Written down, because listing resources does not work in every class
   * loader.
   */
  static final List<Migration> ALL =
      Stream.of(
              "V1__coordination.sql",
              "V2__maintenance.sql",
              "V3__jobs.sql",
              "V4__job_turns.sql",
              "V5__job_maintenance.sql")
          .map(file -> ofResource(Migration.class, file))
          .toList();

  /** Returns the step in a file beside that class. */
  static Migration ofResource(Class<?> home, String file) {
    try (InputStream resource = home.getResourceAsStream(file)) {
      if (resource == null) {
        throw new IllegalStateException(file + " is missing from the jar; repackage it completely");
      }
      return of(file, new String(resource.readAllBytes(), StandardCharsets.UTF_8));
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
