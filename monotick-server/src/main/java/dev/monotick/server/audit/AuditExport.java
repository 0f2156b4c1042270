package dev.monotick.server.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A chain as a file: a line of JSON that says where it begins and ends, then one for each event.
 * Everything that is needed to verify it is in it, and nothing else is needed: neither the server
 * nor its database.
 *
 * <p>Whoever can write the whole file can also compute all hashes anew. Compare the hash of the
 * verdict with one that you kept elsewhere, or give that to {@link #verify(Path, Map)}.
 */
public final class AuditExport {

  private static final String FORMAT = "monotick-audit-1";
  private static final int PAGE = 2_000;
  private static final JsonMapper JSON = new JsonMapper();

  private record Head(
      @Nullable String format, String tenant, AuditChainPosition after, AuditChainPosition end) {}

  private AuditExport() {}

  /** Writes a tenant's chain after a number that is, or follows, a number on record. */
  static void write(AuditReader reader, String tenant, AuditChainPosition after, OutputStream out)
      throws IOException {
    AuditChainPosition end = reader.end(tenant);
    line(out, new Head(FORMAT, tenant, after, end));
    List<AuditRecord> events = List.of();
    for (long at = after.seq(); at < end.seq(); at = events.get(events.size() - 1).seq()) {
      events = reader.range(tenant, at, end.seq(), PAGE);
      if (events.isEmpty()) {
        return; // whoever verifies it finds that it ends early
      }
      for (AuditRecord event : events) {
        line(out, event);
      }
    }
  }

  private static void line(OutputStream out, Object value) throws IOException {
    out.write(JSON.writeValueAsString(value).getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  /** Verifies a file. */
  public static AuditCheckResult verify(Path file) throws IOException {
    return verify(file, Map.of());
  }

  /**
   * Verifies a file.
   *
   * @param known hashes by number, as earlier verdicts gave them
   */
  public static AuditCheckResult verify(Path file, Map<Long, String> known) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      String first = lines.readLine();
      Head head = first == null ? null : read(first, Head.class);
      if (head == null || !FORMAT.equals(head.format())) {
        return unreadable(0, "the first line is not that of an export of " + FORMAT);
      }
      AuditChainCheck check = new AuditChainCheck(head.tenant(), head.after(), known);
      for (String text = lines.readLine(); text != null; text = lines.readLine()) {
        AuditRecord event = read(text, AuditRecord.class);
        if (event == null) {
          return unreadable(check.end().seq() + 1, "is no event");
        }
        if (!check.next(event)) {
          break;
        }
      }
      check.ends(head.end());
      return AuditCheckResult.of(head.after().seq(), check);
    }
  }

  private static AuditCheckResult unreadable(long seq, String reason) {
    return new AuditCheckResult(false, 0, Math.max(0, seq - 1), "", 0, seq, reason);
  }

  private static <T> @Nullable T read(String line, Class<T> type) {
    try {
      return JSON.readValue(line, type);
    } catch (JacksonException e) {
      return null;
    }
  }
}
