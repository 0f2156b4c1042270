/** A payload codec that uses Jackson. */
module dev.monotick.jackson {
  requires transitive dev.monotick.core;
  requires transitive tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.monotick.jackson;

  provides dev.monotick.job.PayloadCodec with
      dev.monotick.jackson.JacksonCodec;
}
