package dev.monotick.job;

import dev.monotick.error.SchedulerException;

/** A queue had as many waiting jobs as the caller allows; nothing was added. */
public final class QueueFullException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  /** Creates one that names the queue, its depth and the limit. */
  public QueueFullException(String message) {
    super(message);
  }
}
