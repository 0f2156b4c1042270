package com.example.shop;

import org.jspecify.annotations.Nullable;

/** What a job of the shop is about. */
record Invoice(@Nullable String customer, long cents) {

  Invoice {
    if (customer == null || customer.isBlank()) {
      throw new IllegalArgumentException("customer is missing");
    }
    if (cents <= 0) {
      throw new IllegalArgumentException("cents must be more than 0, but was " + cents);
    }
  }
}
