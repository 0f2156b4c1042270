package dev.monotick.engine.observe;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** What the engine logs, for tests that say so; else nothing is kept. */
public final class CapturedLog implements AutoCloseable {

  private static final List<CapturedLog> OPEN = new CopyOnWriteArrayList<>();

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<Throwable> thrown = new CopyOnWriteArrayList<>();

  private CapturedLog() {}

  /** Begins to capture, until closed. */
  public static CapturedLog open() {
    CapturedLog log = new CapturedLog();
    OPEN.add(log);
    return log;
  }

  /** Returns the lines of that level that begin with the text. */
  public List<String> lines(Level level, String text) {
    return lines.stream().filter(line -> line.startsWith(level + " " + text)).toList();
  }

  /** Returns what was logged with its stack trace, at any level above debug. */
  List<Throwable> thrown() {
    return thrown;
  }

  @Override
  public void close() {
    OPEN.remove(this);
  }

  /** Found by slf4j through its service file. */
  public static final class Provider implements SLF4JServiceProvider {

    private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter mdc = new NOPMDCAdapter();

    @Override
    public ILoggerFactory getLoggerFactory() {
      return name -> loggers.computeIfAbsent(name, CapturingLogger::new);
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
      return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
      return mdc;
    }

    @Override
    public String getRequestedApiVersion() {
      return "2.0.99";
    }

    @Override
    public void initialize() {}
  }

  private static final class CapturingLogger extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1L;

    CapturingLogger(String name) {
      this.name = name;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String message,
        Object @Nullable [] arguments,
        @Nullable Throwable thrown) {
      String line = level + " " + MessageFormatter.basicArrayFormat(message, arguments);
      OPEN.forEach(log -> log.lines.add(line));
      if (thrown != null && level.toInt() > Level.DEBUG.toInt()) {
        OPEN.forEach(log -> log.thrown.add(thrown));
      }
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return !OPEN.isEmpty();
    }

    @Override
    public boolean isInfoEnabled() {
      return !OPEN.isEmpty();
    }

    @Override
    public boolean isWarnEnabled() {
      return !OPEN.isEmpty();
    }

    @Override
    public boolean isErrorEnabled() {
      return !OPEN.isEmpty();
    }
  }
}
