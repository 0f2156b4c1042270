package com.example.shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Whom the shop has sent an invoice. */
@Component
class Invoices {

  private final Map<String, Invoice> sent = new ConcurrentHashMap<>();

  /** Sends one, once for a key. */
  void send(Invoice invoice, String key) {
    sent.putIfAbsent(key, invoice);
  }

  long sentTo(String customer) {
    return sent.values().stream().filter(each -> customer.equals(each.customer())).count();
  }
}
