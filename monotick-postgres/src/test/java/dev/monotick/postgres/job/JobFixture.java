package dev.monotick.postgres.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.PostgresStoreBuilder;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.StoreExchange;
import dev.monotick.work.Effect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A store of jobs on a real server, and short ways to use it. */
public final class JobFixture implements AutoCloseable {

  static final Lane LANE = new Lane("mail", "letter", "", 5);
  public static final JobRules RULES =
      new JobRules(
          3, Duration.ofMinutes(1), Optional.empty(), Effect.AT_LEAST_ONCE, Optional.empty());

  public final TestDatabase database;
  private final Deque<PostgresStore> opened = new ArrayDeque<>();
  private final AtomicLong numbers = new AtomicLong();
  public final JobStore jobs;
  final MemberId replica;

  public JobFixture() {
    this(TestDatabase.NEWEST, builder -> builder);
  }

  JobFixture(int major, UnaryOperator<PostgresStoreBuilder> options) {
    database = TestDatabase.on(major);
    jobs = open(options);
    replica = join();
  }

  /** Opens another store on the same tables, as another process would. */
  public JobStore open(UnaryOperator<PostgresStoreBuilder> options) {
    return build(
        options.apply(
            PostgresStore.builder()
                .url(database.url())
                .user(database.user())
                .password(database.password())));
  }

  /** Opens another store on the same tables, by connections of that source. */
  JobStore open(DataSource source) {
    return build(PostgresStore.builder().dataSource(source));
  }

  private JobStore build(PostgresStoreBuilder builder) {
    PostgresStore store = builder.schema(database.schema()).build();
    opened.add(store);
    return store.jobs();
  }

  /** Adds a replica to the list of those that live. */
  public MemberId join() {
    MemberId id = new MemberId(UUID.randomUUID());
    execute(
        "insert into @replica (id, name, version, started_at) values ('"
            + id.value()
            + "', 'r', '1', now())");
    return id;
  }

  void declareGone(MemberId replica) {
    execute("update @replica set gone_at = now() where id = '" + replica.value() + "'");
    execute("insert into @replica_gone values ('" + replica.value() + "') on conflict do nothing");
  }

  public static JobDraft draft(String text) {
    return draft(LANE, text);
  }

  static JobDraft draft(Lane lane, String text) {
    return new JobDraft(
        lane,
        1,
        text.getBytes(UTF_8),
        JobStart.NOW,
        RULES,
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }

  static List<JobDraft> drafts(int count) {
    List<JobDraft> drafts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      drafts.add(draft("n" + i));
    }
    return drafts;
  }

  static String text(ClaimedJob job) {
    return new String(job.payload(), UTF_8);
  }

  public List<Enqueued> add(int count) {
    return jobs.enqueue(EnqueueRequest.of(drafts(count)));
  }

  StoreExchange wanting(int most, Completion... finishes) {
    return wanting(replica, most, List.of(finishes));
  }

  public StoreExchange wanting(MemberId who, int most, List<Completion> finishes) {
    return new StoreExchange(
        who, numbers.incrementAndGet(), finishes, most, Set.of("letter"), Set.of());
  }

  public List<ClaimedJob> claim(int most) {
    return wanting(most).with(jobs).jobs();
  }

  List<Boolean> finish(Completion... finishes) {
    return wanting(0, finishes).with(jobs).finished();
  }

  StoreExchange.Reply finishAll(List<ClaimedJob> claimed) {
    return wanting(replica, 0, claimed.stream().map(JobFixture::success).toList()).with(jobs);
  }

  static Completion success(ClaimedJob job) {
    return end(job, new Completion.Succeeded(null));
  }

  public static Completion end(ClaimedJob job, Completion.End end) {
    return new Completion(job, end, job.readyAt(), Duration.ofMillis(5));
  }

  /** Runs SQL in which {@code @name} is a table of the schema. */
  void execute(String sql) {
    database.execute(resolve(sql));
  }

  String resolve(String sql) {
    return sql.replace("@", database.schema() + ".");
  }

  /** Returns all rows, their columns joined by spaces. */
  public List<String> query(String sql) {
    try (Connection connection = database.connect()) {
      return query(connection, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(resolve(sql))) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          columns.add(String.valueOf(row.getString(i)));
        }
        rows.add(String.join(" ", columns));
      }
      return rows;
    }
  }

  /** Returns what the counts add up to: waiting, ready, running, succeeded, failed, dead, ended. */
  public String counts() {
    return query(
            "select sum(waiting), sum(ready), sum(running), sum(succeeded), sum(failed), sum(dead),"
                + " sum(ended) from (select waiting, ready, running, succeeded, failed, dead, ended"
                + " from @job_count_delta union all select waiting, ready, running, succeeded, failed,"
                + " dead, ended from @job_count) c")
        .get(0);
  }

  /** Returns the outcomes of a job's rows in job_attempt, in their order. */
  List<String> outcomes(long id) {
    return query(
        "select run, attempt, outcome from @job_attempt where job_id = " + id + " order by run");
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      opened.removeLast().close();
    }
    database.close();
  }
}
