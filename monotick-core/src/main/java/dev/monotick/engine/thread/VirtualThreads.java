package dev.monotick.engine.thread;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Virtual threads from code that also runs where there are none: looked up by name, once. */
final class VirtualThreads {

  private VirtualThreads() {}

  /** Returns a factory of virtual threads, or null on a JDK before 21. */
  static @Nullable ThreadFactory factory(String name) {
    if (Runtime.version().feature() < 21) {
      return null;
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> builder = Class.forName("java.lang.Thread$Builder");
      Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
      MethodHandle start =
          lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
      MethodHandle named =
          lookup.findVirtual(
              builder, "name", MethodType.methodType(builder, String.class, long.class));
      MethodHandle factory =
          lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
      return (ThreadFactory) factory.invoke(named.invoke(start.invoke(), name, 1L));
    } catch (Throwable e) { // MethodHandle.invoke declares it; a JDK that differs has a pool
      return null;
    }
  }
}
