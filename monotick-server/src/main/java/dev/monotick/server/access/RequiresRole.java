package dev.monotick.server.access;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the caller of a handler must be. A handler under {@code /v1} without it is refused to all.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RequiresRole {

  /** The least role. */
  Role value();

  /** Whether only somebody of no tenant may call it. */
  boolean platform() default false;
}
