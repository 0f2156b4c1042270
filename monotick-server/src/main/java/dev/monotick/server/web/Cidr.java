package dev.monotick.server.web;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A range of addresses.
 *
 * @param base the first of them
 * @param bits how many leading bits they share
 */
public record Cidr(InetAddress base, int bits) {

  private static final Pattern QUAD =
      Pattern.compile(
          "(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})");

  /** Reads {@code 10.0.0.0/8}, {@code fd00::/8}, or a single address. */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    InetAddress base = literal(slash < 0 ? text : text.substring(0, slash));
    int most = base.getAddress().length * 8;
    try {
      int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
      if (bits >= 0 && bits <= most) {
        return new Cidr(base, bits);
      }
    } catch (NumberFormatException e) {
      // told below, like a number out of range
    }
    throw new IllegalArgumentException("must end in /0 to /" + most + ", but was \"" + text + "\"");
  }

  /** Says whether a text is an address in its usual form, so that reading it asks nobody. */
  public static boolean isLiteral(String text) {
    return text.indexOf(':') >= 0 || QUAD.matcher(text).matches();
  }

  /** Reads an address in its usual form; never asks for a name. */
  public static InetAddress literal(String text) {
    try {
      if (isLiteral(text)) {
        return InetAddress.getByName(text);
      }
    } catch (UnknownHostException e) {
      // told below, like a name
    }
    throw new IllegalArgumentException("must be an address, but was \"" + text + "\"");
  }

  /** Says whether an address is one of them. */
  public boolean contains(InetAddress address) {
    byte[] mine = base.getAddress();
    byte[] other = address.getAddress();
    if (mine.length != other.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit += 8) {
      int mask = bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit)) & 0xff;
      if (((mine[bit / 8] ^ other[bit / 8]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
