package dev.monotick.chaos.network;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waits for transactions of a kind and has their connections cut at COMMIT, in turn before and
 * after the server saw it. Thread-safe.
 */
final class CommitInterceptor {

  private final Predicate<List<String>> transactions;
  private final int most;
  private int sprung; // guarded by this

  CommitInterceptor(Predicate<List<String>> transactions, int most) {
    this.transactions = transactions;
    this.most = most;
  }

  /** Returns how this transaction's connection is to be cut, or null if it is not. */
  synchronized @Nullable CommitCut spring(List<String> statements) {
    if (sprung == most || !transactions.test(statements)) {
      return null;
    }
    sprung++;
    return sprung % 2 == 1 ? CommitCut.AFTER : CommitCut.BEFORE;
  }

  synchronized int sprung() {
    return sprung;
  }
}
