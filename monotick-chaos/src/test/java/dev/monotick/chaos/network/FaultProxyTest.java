package dev.monotick.chaos.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultProxyTest {

  private ServerSocket server;
  private FaultProxy proxy;
  private Socket client;
  private Socket accepted;
  private DataInputStream arrived;

  @SuppressWarnings("NullAway.Init") // see connect
  FaultProxyTest() {}

  @BeforeEach
  void connect() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    proxy =
        FaultProxy.to(() -> new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
    client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    accepted = server.accept();
    arrived = new DataInputStream(accepted.getInputStream());
    send(startup());
    arrived.readFully(new byte[startup().length]);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    accepted.close();
    proxy.close();
    server.close();
  }

  @Test
  void whatIsSentArrivesInBothDirections() throws IOException {
    send(query("select 1"));
    arrived.readFully(new byte[query("select 1").length]);
    reply("ok");
    assertThat(heard(2)).isEqualTo("ok");
  }

  @Test
  void aCutIsSilentAndWhatWasSentArrivesWhenItIsHealed() throws IOException {
    proxy.set(ProxyBehaviour.CUT_BOTH_WAYS);
    send(query("late"));
    reply("late");
    accepted.setSoTimeout(200);
    client.setSoTimeout(200);
    assertThatThrownBy(() -> arrived.readByte()).isInstanceOf(SocketTimeoutException.class);
    assertThatThrownBy(() -> heard(1)).isInstanceOf(SocketTimeoutException.class);
    client.shutdownOutput(); // hanging up is not heard either
    assertThatThrownBy(() -> arrived.readByte()).isInstanceOf(SocketTimeoutException.class);

    accepted.setSoTimeout(0);
    client.setSoTimeout(0);
    proxy.set(ProxyBehaviour.PASSING);
    arrived.readFully(new byte[query("late").length]);
    assertThat(heard(4)).isEqualTo("late");
    assertThat(arrived.read()).isEqualTo(-1);
  }

  @Test
  void oneDirectionCanBeCutAlone() throws IOException {
    proxy.set(ProxyBehaviour.CUT_REPLIES);
    send(query("asked"));
    arrived.readFully(new byte[query("asked").length]);
    reply("lost");
    client.setSoTimeout(200);
    assertThatThrownBy(() -> heard(1)).isInstanceOf(SocketTimeoutException.class);

    proxy.set(ProxyBehaviour.CUT_REQUESTS);
    assertThat(heard(4)).isEqualTo("lost");
    send(query("unheard"));
    accepted.setSoTimeout(200);
    assertThatThrownBy(() -> arrived.readByte()).isInstanceOf(SocketTimeoutException.class);
  }

  @Test
  void aCommitIsCutAfterTheServerAnsweredAndTheNextBeforeItSawIt() throws IOException {
    proxy.cutAtCommit(statements -> statements.contains("insert into tick"), 2);
    send(query("BEGIN"), query("INSERT INTO  tick"), query("COMMIT"));
    arrived.readFully(
        new byte
            [(query("BEGIN").length + query("INSERT INTO  tick").length) + query("COMMIT").length]);
    reply("committed");
    assertThatThrownBy(() -> heard(1)).isInstanceOf(SocketException.class);
    assertThat(proxy.cutAtCommit()).isEqualTo(1);

    reconnect();
    send(query("BEGIN"), parse("s1", "INSERT INTO tick"), bind("s1"), parse("c", "COMMIT"));
    arrived.readFully(
        new byte
            [query("BEGIN").length
                + parse("s1", "INSERT INTO tick").length
                + bind("s1").length
                + parse("c", "COMMIT").length]);
    send(bind("c"));
    assertThatThrownBy(() -> arrived.readByte()).isInstanceOf(IOException.class);
    assertThat(proxy.cutAtCommit()).isEqualTo(2);
  }

  @Test
  void transactionsOfAnotherKindCommit() throws IOException {
    proxy.cutAtCommit(statements -> statements.contains("insert into tick"), 2);
    send(query("BEGIN"), query("insert into tick"), query("ROLLBACK"));
    send(query("BEGIN"), query("insert into tock"), query("COMMIT"));
    arrived.readFully(new byte[query("BEGIN").length * 2]);
    reply("ok");
    assertThat(heard(2)).isEqualTo("ok");
    assertThat(proxy.cutAtCommit()).isZero();
  }

  private void reconnect() throws IOException {
    client.close();
    accepted.close();
    client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    accepted = server.accept();
    arrived = new DataInputStream(accepted.getInputStream());
    send(startup());
    arrived.readFully(new byte[startup().length]);
  }

  private void send(byte[]... messages) throws IOException {
    for (byte[] message : messages) {
      client.getOutputStream().write(message);
    }
  }

  private void reply(String text) throws IOException {
    accepted.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private String heard(int bytes) throws IOException {
    byte[] buffer = new byte[bytes];
    new DataInputStream(client.getInputStream()).readFully(buffer);
    return new String(buffer, StandardCharsets.US_ASCII);
  }

  private static byte[] startup() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream output = new DataOutputStream(bytes);
    output.writeInt(8);
    output.writeInt(80877103); // may we speak SSL?
    output.writeInt(13);
    output.writeInt(196608);
    output.write("user\0".getBytes(StandardCharsets.US_ASCII));
    return bytes.toByteArray();
  }

  private static byte[] query(String sql) throws IOException {
    return message('Q', sql + "\0");
  }

  private static byte[] parse(String name, String sql) throws IOException {
    return message('P', name + "\0" + sql + "\0\0\0");
  }

  private static byte[] bind(String name) throws IOException {
    return message('B', "\0" + name + "\0\0\0\0\0\0\0");
  }

  private static byte[] message(char type, String body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream output = new DataOutputStream(bytes);
    output.writeByte(type);
    output.writeInt(4 + body.length());
    output.write(body.getBytes(StandardCharsets.US_ASCII));
    return bytes.toByteArray();
  }
}
