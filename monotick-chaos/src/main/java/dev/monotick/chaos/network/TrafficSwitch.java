package dev.monotick.chaos.network;

/** Holds up who comes along while it is shut. Thread-safe. */
final class TrafficSwitch {

  private boolean open = true; // guarded by this
  private boolean gone; // guarded by this

  synchronized void set(boolean open) {
    this.open = open;
    notifyAll();
  }

  /** Lets everybody go, for good: there is nothing behind it any more. */
  synchronized void remove() {
    gone = true;
    notifyAll();
  }

  /** Waits until it is open; false if it was removed. */
  synchronized boolean pass() {
    while (!open && !gone) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return !gone;
  }
}
