package dev.monotick.postgres.job.row;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Lane;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.work.Effect;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Drafts that are ready at once, column by column. */
public final class DraftColumns {

  public static final String TYPES =
      "?::integer[], ?::integer[], ?::bigint[], ?::smallint[], ?::smallint[], ?::smallint[],"
          + " ?::bytea[], ?::text[], ?::text[]";

  /** How many parameters of a statement they are. */
  public static final int COUNT = 9;

  private final int[] lanes;
  private final int[] versions;
  private final long[] timeouts;
  private final short[] most;
  private final short[] effects;
  private final short[] flags;
  private final byte[][] payloads;
  private @Nullable String @Nullable [] keys;
  private @Nullable String @Nullable [] headers;

  public DraftColumns(List<JobDraft> drafts, Map<Lane, Integer> ids) {
    int count = drafts.size();
    lanes = new int[count];
    versions = new int[count];
    timeouts = new long[count];
    most = new short[count];
    effects = new short[count];
    flags = new short[count];
    payloads = new byte[count][];
    for (int i = 0; i < count; i++) {
      JobDraft draft = drafts.get(i);
      lanes[i] = requireNonNull(ids.get(draft.lane()));
      versions[i] = draft.version();
      timeouts[i] = Math.max(1, draft.rules().timeout().toMillis());
      most[i] = (short) draft.rules().maxAttempts();
      effects[i] = JobColumns.effect(draft.rules().effect());
      flags[i] = (short) flags(draft);
      payloads[i] = draft.payload();
      if (draft.limitKey().isPresent()) {
        if (keys == null) {
          keys = new @Nullable String[count];
        }
        keys[i] = JobColumns.text(draft.limitKey().get());
      }
      if (!draft.headers().isEmpty()) {
        if (headers == null) {
          headers = new @Nullable String[count];
        }
        headers[i] = JobColumns.headers(draft.headers());
      }
    }
  }

  private static int flags(JobDraft draft) {
    return (draft.unique().isPresent() ? JobFlags.UNIQUE : 0)
        | (draft.limitKey().isPresent() ? JobFlags.KEYED : 0)
        | (draft.rules().deadline().isPresent() || draft.rules().approval().isPresent()
            ? JobFlags.EXPIRES
            : 0)
        | (draft.rules().effect() == Effect.AT_MOST_ONCE ? JobFlags.AT_MOST_ONCE : 0)
        | (draft.rules().approval().isPresent() ? JobFlags.GATED : 0);
  }

  /** Sets parameters from that index on. */
  public void set(PreparedStatement statement, int first) throws SQLException {
    int index = first;
    JobColumns.set(statement, index++, lanes);
    JobColumns.set(statement, index++, versions);
    JobColumns.set(statement, index++, timeouts);
    JobColumns.set(statement, index++, most);
    JobColumns.set(statement, index++, effects);
    JobColumns.set(statement, index++, flags);
    JobColumns.set(statement, index++, payloads);
    JobColumns.set(statement, index++, keys);
    JobColumns.set(statement, index, headers);
  }
}
