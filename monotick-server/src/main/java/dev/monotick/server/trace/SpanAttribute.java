package dev.monotick.server.trace;

import io.opentelemetry.api.common.AttributeKey;

/** What spans say: the names of OpenTelemetry's conventions where there are some, else ours. */
final class SpanAttribute {

  static final AttributeKey<String> HTTP_METHOD = AttributeKey.stringKey("http.request.method");
  static final AttributeKey<String> HTTP_ROUTE = AttributeKey.stringKey("http.route");
  static final AttributeKey<Long> HTTP_STATUS = AttributeKey.longKey("http.response.status_code");
  static final AttributeKey<String> URL_SCHEME = AttributeKey.stringKey("url.scheme");
  static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
  static final AttributeKey<String> SERVICE_VERSION = AttributeKey.stringKey("service.version");
  static final AttributeKey<String> SERVICE_INSTANCE =
      AttributeKey.stringKey("service.instance.id");

  static final AttributeKey<String> TENANT = AttributeKey.stringKey("monotick.tenant");
  static final AttributeKey<String> REPLICA = AttributeKey.stringKey("monotick.replica");
  static final AttributeKey<String> JOB_ID = AttributeKey.stringKey("monotick.job.id");
  static final AttributeKey<String> JOB_KIND = AttributeKey.stringKey("monotick.job.kind");
  static final AttributeKey<String> JOB_QUEUE = AttributeKey.stringKey("monotick.job.queue");
  static final AttributeKey<Boolean> JOB_NEW = AttributeKey.booleanKey("monotick.job.new");
  static final AttributeKey<Long> JOB_ATTEMPT = AttributeKey.longKey("monotick.job.attempt");
  static final AttributeKey<Long> JOB_RUN = AttributeKey.longKey("monotick.job.run");
  static final AttributeKey<String> JOB_OUTCOME = AttributeKey.stringKey("monotick.job.outcome");
  static final AttributeKey<String> SCHEDULE_ID = AttributeKey.stringKey("monotick.schedule.id");
  static final AttributeKey<String> SCHEDULE_NOMINAL =
      AttributeKey.stringKey("monotick.schedule.nominal");

  private SpanAttribute() {}
}
