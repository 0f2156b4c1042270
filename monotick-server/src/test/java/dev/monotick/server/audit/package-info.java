/** Tests of the audit. */
@org.jspecify.annotations.NullMarked
package dev.monotick.server.audit;
