package dev.monotick.engine;

import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Talks to one ledger, in batches; replies come on the loop. */
final class LedgerClient {

  private final Ledger ledger;
  private final EngineContext context;
  private final Batcher<TaskRegistration, TaskState> registrations;
  private final Batcher<String, Optional<TaskState>> refreshes;
  private final Batcher<ClaimRequest, ClaimReply> claims;
  private final Batcher<TakeRequest, ClaimReply> takes;
  private final Batcher<AccountRequest, ClaimReply> accounts;
  private final Batcher<FinishRequest, FinishReply> reports;
  private final Batcher<Collection<String>, Rescue> rescues;
  private long claimed;
  private boolean rescuing;
  private boolean rescueAgain;

  LedgerClient(Ledger ledger, EngineContext context) {
    this.ledger = ledger;
    this.context = context;
    this.registrations = batcher("registration", ledger::register);
    this.refreshes = batcher("reading of states", this::read);
    this.claims = batcher("claim", ledger::claim);
    this.takes = batcher("take", ledger::take);
    this.accounts = batcher("accounting", ledger::account);
    this.reports = batcher("report", ledger::finish);
    // Looks at all tasks: never on the loop, whatever the ledger.
    this.rescues = batcher("rescue", false, this::rescueOnce);
  }

  Ledger ledger() {
    return ledger;
  }

  /** Returns the id of a new claim, made under the current membership. */
  ClaimId newClaim() {
    return new ClaimId(context.replica(), ++claimed);
  }

  void register(TaskRegistration registration, Consumer<TaskState> reply) {
    registrations.submit(registration, reply);
  }

  void refresh(String task, Consumer<Optional<TaskState>> reply) {
    refreshes.submit(task, reply);
  }

  void claim(ClaimRequest request, Consumer<ClaimReply> reply) {
    claims.submit(request, reply);
  }

  void take(TakeRequest request, Consumer<ClaimReply> reply) {
    takes.submit(request, reply);
  }

  void account(AccountRequest request, Consumer<ClaimReply> reply) {
    accounts.submit(request, reply);
  }

  void report(FinishRequest request, Consumer<FinishReply> reply) {
    reports.submit(request, reply);
  }

  /** Has a listener told how many outcomes the ledger refused to record, when that changes. */
  void whenReportsRefused(IntConsumer listener) {
    reports.whenRefused(listener);
  }

  /** Asks what is to be seen to; while one such call is on its way, once more after it. */
  void rescue(Supplier<Collection<String>> tasks, Consumer<Rescue> reply) {
    if (rescuing) {
      rescueAgain = true;
      return;
    }
    rescuing = true;
    rescueAgain = false;
    rescues.submit(
        tasks.get(),
        rescue -> {
          rescuing = false;
          reply.accept(rescue);
          if (rescueAgain) {
            rescue(tasks, reply);
          }
        });
  }

  /** Says whether nothing is on its way that claims or reports ticks. */
  boolean isQuiet() {
    return claims.isIdle() && takes.isIdle() && reports.isIdle();
  }

  private List<Optional<TaskState>> read(List<String> tasks) {
    Map<String, TaskState> found = new HashMap<>();
    for (TaskState state : ledger.states(tasks)) {
      found.put(state.task(), state);
    }
    return tasks.stream().map(task -> Optional.ofNullable(found.get(task))).toList();
  }

  private List<Rescue> rescueOnce(List<Collection<String>> tasks) {
    List<Rescue> replies = new ArrayList<>(tasks.size());
    for (Collection<String> names : tasks) {
      replies.add(ledger.rescue(context.replica(), names));
    }
    return replies;
  }

  private <Q, R> Batcher<Q, R> batcher(String what, Function<List<Q>, List<R>> call) {
    return batcher(what, ledger.isImmediate(), call);
  }

  private <Q, R> Batcher<Q, R> batcher(
      String what, boolean inline, Function<List<Q>, List<R>> call) {
    return new Batcher<>(context.threads(), what, inline, call, context.replica().hashCode());
  }
}
