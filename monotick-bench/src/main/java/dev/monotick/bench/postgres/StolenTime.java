package dev.monotick.bench.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time that the hypervisor gave to others while we wanted it: figures taken meanwhile say
 * more about neighbours than about us.
 *
 * @param all ticks of all processors
 * @param stolen those of them that others got
 */
public record StolenTime(long all, long stolen) {

  private static final Path STAT = Path.of("/proc/stat");
  private static final int STEAL = 8;
  private static final int GUEST = 9; // and what follows is contained in what came before

  /** Reads the counters; zeros where there are none. */
  public static StolenTime now() {
    if (!Files.isReadable(STAT)) {
      return new StolenTime(0, 0);
    }
    try {
      String[] cpu = Files.readAllLines(STAT).get(0).split(" +", -1);
      long all = 0;
      for (int i = 1; i < Math.min(GUEST, cpu.length); i++) {
        all += Long.parseLong(cpu[i]);
      }
      return new StolenTime(all, cpu.length > STEAL ? Long.parseLong(cpu[STEAL]) : 0);
    } catch (IOException e) {
      return new StolenTime(0, 0);
    }
  }

  /** Returns the share of all processor time since then that others got, in percent. */
  public double percentSince(StolenTime before) {
    long passed = all - before.all;
    return passed <= 0 ? 0 : 100.0 * (stolen - before.stolen) / passed;
  }
}
