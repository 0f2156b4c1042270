package dev.monotick.server.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.web.Cidr;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where calls may go. */
class AddressGuardTest {

  private static AddressGuard guard(boolean allowPrivate, String allowed, String... answers) {
    return new AddressGuard(
        host -> Arrays.stream(answers).map(AddressGuardTest::address).toArray(InetAddress[]::new),
        allowPrivate,
        allowed);
  }

  private static InetAddress address(String text) {
    return Cidr.literal(text);
  }

  private static boolean passes(AddressGuard guard, String host) throws UnknownHostException {
    try {
      guard.resolve(host);
      return true;
    } catch (AddressGuard.RefusedException e) {
      return false;
    }
  }

  @Test
  void addressesOfNoPublicNetworkAreRefused() throws UnknownHostException {
    for (String each :
        List.of(
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "169.254.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
            "240.0.0.1",
            "168.63.129.16",
            "203.0.113.7",
            "[::1]",
            "[::]",
            "[fe80::1]",
            "[fec0::1]",
            "[fc00::1]",
            "[fdff::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:10.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2002:a00:1::1]",
            "[2001:0:1::1]",
            "[2001:db8::1]")) {
      assertThat(passes(guard(false, ""), each)).as(each).isFalse();
      String bare = each.replace("[", "").replace("]", "");
      assertThat(passes(guard(false, "", bare), "name.example")).as("a name of " + each).isFalse();
    }
  }

  @Test
  void publicAddressesPass() throws UnknownHostException {
    for (String each :
        List.of(
            "1.1.1.1",
            "172.32.0.1",
            "172.15.0.1",
            "100.128.0.1",
            "11.0.0.1",
            "169.253.0.1",
            "192.167.1.1",
            "[2606:4700::1111]",
            "[64:ff9b::101:101]",
            "[2002:101:101::1]")) {
      assertThat(passes(guard(false, ""), each)).as(each).isTrue();
    }
  }

  @Test
  void oneBadAddressAmongGoodOnesIsEnough() throws UnknownHostException {
    assertThat(passes(guard(false, "", "1.1.1.1", "10.0.0.1"), "mixed.example")).isFalse();
  }

  @Test
  void whatTheOperatorListsPasses() throws UnknownHostException {
    assertThat(passes(guard(false, "10.1.0.0/16"), "10.1.2.3")).isTrue();
    assertThat(passes(guard(false, "10.1.0.0/16"), "10.2.2.3")).isFalse();
    assertThat(passes(guard(false, "fd12::/16"), "[fd12::7]")).isTrue();
    assertThat(passes(guard(false, "169.254.169.254"), "169.254.169.254")).isTrue();
    assertThat(passes(guard(false, "a.example, *.corp.example", "10.0.0.1"), "A.example")).isTrue();
    assertThat(passes(guard(false, "*.corp.example", "10.0.0.1"), "x.corp.example")).isTrue();
    assertThat(passes(guard(false, "*.corp.example", "10.0.0.1"), "corp.example")).isFalse();
    assertThat(passes(guard(false, "*.corp.example", "10.0.0.1"), "xcorp.example")).isFalse();
    assertThatThrownBy(() -> guard(false, "10.0.0.0/33"))
        .hasMessageContaining("MONOTICK_HTTP_ALLOW");
  }

  @Test
  void allowingPrivateOnesDoesNotAllowMetadataServices() throws UnknownHostException {
    AddressGuard guard = guard(true, "");
    assertThat(passes(guard, "127.0.0.1")).isTrue();
    assertThat(passes(guard, "[::1]")).isTrue();
    assertThat(passes(guard, "10.0.0.1")).isTrue();
    assertThat(passes(guard, "169.254.169.254")).isFalse();
    assertThat(passes(guard, "[::ffff:169.254.169.254]")).isFalse();
    assertThat(passes(guard, "[64:ff9b::a9fe:a9fe]")).isFalse();
    assertThat(passes(guard, "0.0.0.0")).isFalse();
    assertThat(passes(guard, "224.0.0.1")).isFalse();
  }

  @Test
  void addressesAreWrittenInTheirUsualFormOnly() {
    for (String each :
        List.of(
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.1/",
            "http://017700000001/",
            "http://127.0.0.1./",
            "http://1.2.3.04/",
            "http://[fe80::1%25eth0]/",
            "http://user@1.1.1.1/",
            "http://a.example@127.0.0.1/",
            "ftp://a.example/",
            "file:///etc/passwd",
            "http:///x",
            "http://a.example:0/",
            "http://a.example:99999/",
            "//a.example/",
            "a.example",
            "")) {
      assertThat(HttpTargets.wrong(each)).as(each).isNotEqualTo(Optional.empty());
    }
    for (String each :
        List.of(
            "http://a.example",
            "https://a.example:8443/x?y=1",
            "http://1.2.3.4/",
            "http://[2606:4700::1111]:80/",
            "HTTP://A.example/")) {
      assertThat(HttpTargets.wrong(each)).as(each).isEmpty();
    }
  }
}
