package dev.monotick.engine.tick;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.send.StoreCall;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
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
public final class LedgerClient {

  private final TickLedger ledger;
  private final EngineContext context;
  private final TickRequests<SeriesRegistration, SeriesState> registrations;
  private final TickRequests<String, Optional<SeriesState>> refreshes;
  private final TickRequests<TickClaim, TickClaimReply> claims;
  private final TickRequests<TickTake, TickClaimReply> takes;
  private final TickRequests<TickAccount, TickClaimReply> accounts;
  private final TickRequests<TickReport, TickReportReply> reports;
  private final TickRequests<Collection<String>, TickRescue> rescues;
  private long claimed;
  private boolean rescuing;
  private boolean rescueAgain;

  public LedgerClient(TickLedger ledger, EngineContext context) {
    this.ledger = ledger;
    this.context = context;
    this.registrations = requests("registration", ledger::register);
    this.refreshes = requests("reading of states", this::read);
    this.claims = requests("claim", ledger::claim);
    this.takes = requests("take", ledger::take);
    this.accounts = requests("accounting", ledger::account);
    this.reports = requests("report", ledger::report);
    // Looks at all tasks: never on the loop, whatever the ledger.
    this.rescues = requests("rescue", false, this::rescueOnce);
  }

  public TickLedger ledger() {
    return ledger;
  }

  /** Returns the id of a new claim, made under the current membership. */
  TickClaimId newClaim() {
    return new TickClaimId(context.replica(), ++claimed);
  }

  public void register(SeriesRegistration registration, Consumer<SeriesState> reply) {
    registrations.submit(registration, reply);
  }

  void refresh(String task, Consumer<Optional<SeriesState>> reply) {
    refreshes.submit(task, reply);
  }

  void claim(TickClaim request, Consumer<TickClaimReply> reply) {
    claims.submit(request, reply);
  }

  void take(TickTake request, Consumer<TickClaimReply> reply) {
    takes.submit(request, reply);
  }

  void account(TickAccount request, Consumer<TickClaimReply> reply) {
    accounts.submit(request, reply);
  }

  void report(TickReport request, Consumer<TickReportReply> reply) {
    reports.submit(request, reply);
  }

  /** Has a listener told how many outcomes the ledger refused to record, when that changes. */
  public void whenReportsRefused(IntConsumer listener) {
    reports.whenRefused(listener);
  }

  /** Asks what is to be seen to; while one such call is on its way, once more after it. */
  public void rescue(Supplier<Collection<String>> tasks, Consumer<TickRescue> reply) {
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
  public boolean isQuiet() {
    return claims.isIdle() && takes.isIdle() && reports.isIdle();
  }

  private List<Optional<SeriesState>> read(List<String> tasks) {
    Map<String, SeriesState> found = new HashMap<>();
    for (SeriesState state : ledger.states(tasks)) {
      found.put(state.task(), state);
    }
    return tasks.stream().map(task -> Optional.ofNullable(found.get(task))).toList();
  }

  private List<TickRescue> rescueOnce(List<Collection<String>> tasks) {
    List<TickRescue> replies = new ArrayList<>(tasks.size());
    for (Collection<String> names : tasks) {
      replies.add(ledger.rescue(context.replica(), names));
    }
    return replies;
  }

  private <Q, R> TickRequests<Q, R> requests(String what, Function<List<Q>, List<R>> call) {
    return requests(what, ledger.isImmediate(), call);
  }

  private <Q, R> TickRequests<Q, R> requests(
      String what, boolean isImmediate, Function<List<Q>, List<R>> call) {
    int seed = context.replica().hashCode();
    return new TickRequests<>(
        context.threads(), new StoreCall.Target(what, isImmediate, seed), call);
  }
}
