/** What is published of chaos runs: records, the report made from them, and a picture. */
@NullMarked
package dev.monotick.chaos.report;

import org.jspecify.annotations.NullMarked;
