package dev.monotick.server.event;

import dev.monotick.server.audit.AuditFeed;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * All who listen on this replica. One look at the ends of their tenants' chains, every so often,
 * tells whether there is news for any of them; the events themselves are the audit's, so whoever
 * comes back, to any replica, reads on where he was.
 */
final class EventHub implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(EventHub.class);
  private static final Duration SLOWEST = Duration.ofSeconds(10);

  private final AuditFeed feed;
  private final TimeSource time;
  private final int most;
  private final Duration heartbeat;
  private final Duration longest;
  private final Set<EventClient> clients = ConcurrentHashMap.newKeySet();
  private final Map<String, EventTail> tails = new ConcurrentHashMap<>();
  private volatile boolean open;
  private final ThreadPoolTaskExecutor writers = new ThreadPoolTaskExecutor();

  EventHub(AuditFeed feed, TimeSource time, ServerSettings settings, MeterRegistry registry) {
    this.feed = feed;
    this.time = time;
    this.most = settings.get(PlatformSettings.EVENTS_CLIENTS);
    this.heartbeat = settings.get(PlatformSettings.EVENTS_HEARTBEAT);
    this.longest = settings.get(PlatformSettings.EVENTS_LONGEST);
    writers.setThreadNamePrefix("events-");
    writers.setCorePoolSize(most); // a slow one holds up nobody else
    writers.setAllowCoreThreadTimeOut(true);
    writers.setDaemon(true);
    writers.initialize();
    Gauge unused =
        Gauge.builder("monotick.events.clients", clients, Set::size)
            .description("who listens to events on this replica")
            .register(registry);
  }

  /** The look. */
  Task task(Duration every) {
    return Task.named("event-tail")
        .fixedDelay(every)
        .mode(HaMode.EVERY_REPLICA)
        .run(context -> poll());
  }

  /** Adds somebody who has seen events up to a number. */
  SseEmitter open(String tenant, long seq) {
    SseEmitter emitter = new SseEmitter(0L); // its end is ours to say
    EventClient client = new EventClient(tenant, seq, emitter, time.nanos());
    synchronized (clients) {
      if (!open) {
        throw Problem.unavailable("this replica stops; ask another");
      }
      if (clients.size() >= most) {
        throw Problem.tooMany(
            "too-many-listeners",
            "this replica has " + most + " listeners; close one, or ask another replica",
            heartbeat);
      }
      clients.add(client);
    }
    emitter.onCompletion(() -> clients.remove(client));
    emitter.onError(error -> clients.remove(client));
    write(client, client::heartbeat);
    return emitter;
  }

  /** Looks for news, and for who has to be told that there is none. */
  void poll() {
    if (clients.isEmpty()) {
      tails.clear();
      return;
    }
    Map<String, Long> ends =
        feed.ends(clients.stream().map(EventClient::tenant).collect(Collectors.toSet()));
    long now = time.nanos();
    for (EventClient client : List.copyOf(clients)) {
      if (client.busySince() != 0 && now - client.busySince() > SLOWEST.toNanos()) {
        drop(client, "takes nothing");
      } else if (now - client.openedAt() > longest.toNanos()) {
        clients.remove(client);
        write(client, client::close);
      } else if (client.seq() < ends.getOrDefault(client.tenant(), 0L)) {
        EventTail tail =
            tails.computeIfAbsent(client.tenant(), tenant -> new EventTail(feed, tenant));
        write(client, () -> client.send(tail));
      } else if (now - client.lastSentAt() > heartbeat.toNanos()) {
        write(client, client::heartbeat);
      }
    }
  }

  /** Something that is written to a client. */
  private interface Writing {
    void write() throws IOException;
  }

  private void write(EventClient client, Writing writing) {
    if (!client.begin(time.nanos())) {
      return; // it is told again at the next look
    }
    writers.execute(
        () -> {
          try {
            writing.write();
          } catch (IOException | IllegalStateException e) {
            drop(client, e.toString());
          } catch (RuntimeException e) {
            log.warn(
                "cannot notify a listener, trying again later tenant={}: {}",
                client.tenant(),
                e.toString());
          } finally {
            client.end(time.nanos());
          }
        });
  }

  private void drop(EventClient client, String why) {
    if (clients.remove(client)) {
      log.debug("a listener is gone tenant={} seq={}: {}", client.tenant(), client.seq(), why);
    }
  }

  int size() {
    return clients.size();
  }

  @Override
  public void start() {
    open = true;
  }

  /** Ends all, so that they come back to another replica and nothing holds up the stop. */
  @Override
  public void stop() {
    open = false;
    clients.forEach(
        client -> {
          if (client.begin(time.nanos())) {
            client.close();
          }
        });
    clients.clear();
    writers.shutdown();
  }

  @Override
  public boolean isRunning() {
    return open;
  }

  /** Before the web server, which waits for requests to end. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE - 1;
  }
}
