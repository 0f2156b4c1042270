package com.example.shop;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.server.MonotickServer;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.execution.WorkType;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/** The application of docs/learn/server.md. */
@SpringBootApplication
@Import(MonotickServer.class)
class Shop {

  static final JobKind<Invoice> INVOICE = JobKind.named("invoice", Invoice.class).maxAttempts(5);

  /** Runs them. */
  @Bean
  JobHandling<Invoice> invoiceHandling(Invoices invoices) {
    return new JobHandling<>(
        INVOICE,
        job -> {
          invoices.send(job.payload(), job.idempotencyKey());
          return JobOutcome.done();
        });
  }

  /** Lets tenants ask for them over REST; without it only the application itself can. */
  @Bean
  WorkType invoiceWork(JsonMapper json) {
    return WorkType.of(INVOICE, json);
  }

  /** A loop of the shop, in the same truth table as those of the server. */
  @Bean
  Task stockTaking() {
    return Task.named("stock-taking")
        .every(Duration.ofHours(1))
        .mode(HaMode.ONE_REPLICA)
        .run(context -> {});
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }
}
