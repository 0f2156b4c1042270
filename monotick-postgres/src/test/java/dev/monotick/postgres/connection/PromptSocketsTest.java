package dev.monotick.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.postgres.TestDatabase;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@Timeout(60)
class PromptSocketsTest {

  @Test
  void readOfAMillisecondGivesWhatHasArrivedAndElseNothing() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new PromptSockets().createSocket()) {
      client.connect(server.getLocalSocketAddress());
      try (Socket other = server.accept()) {
        InputStream in = client.getInputStream();
        byte[] read = new byte[100];
        client.setSoTimeout(1);
        assertThatThrownBy(() -> in.read(read, 0, 100))
            .isInstanceOf(SocketTimeoutException.class)
            .hasMessage("nothing has arrived");
        other.getOutputStream().write(new byte[] {1, 2, 3});
        while (in.available() < 3) {
          Thread.onSpinWait();
        }
        assertThat(in.read(read, 0, 100)).isEqualTo(3);
      }
    }
  }

  /** A record of which half has arrived is waited for, as without these sockets. */
  @Test
  void layerThatReadsRecordsIsLeftAlone() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new PromptSockets().createSocket()) {
      client.connect(server.getLocalSocketAddress());
      try (Socket other = server.accept()) {
        InputStream in = client.getInputStream();
        other.getOutputStream().write(new byte[5]);
        assertThat(in.readNBytes(5)).hasSize(5); // the head of a record
        client.setSoTimeout(1);
        assertThatThrownBy(() -> in.read(new byte[100], 0, 100))
            .isInstanceOf(SocketTimeoutException.class)
            .hasMessageNotContaining("nothing has arrived");
      }
    }
  }

  @Test
  void everyNoticeArrives() throws Exception {
    Properties properties = new Properties();
    PromptSockets.useIn(properties);
    assertThat(properties.getProperty("socketFactory")).isEqualTo(PromptSockets.class.getName());
    try (TestDatabase database = TestDatabase.on(TestDatabase.NEWEST);
        Connection connection =
            new DirectSource(database.url(), database.user(), database.password()).open();
        Connection other = database.connect();
        Statement statement = connection.createStatement();
        Statement sending = other.createStatement()) {
      statement.execute("listen prompt");
      PGConnection notices = connection.unwrap(PGConnection.class);
      List<String> heard = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        sending.execute("notify prompt, '" + i + "a'; notify prompt, '" + i + "b'");
        while (heard.size() < 2 * (i + 1)) {
          for (PGNotification notice : notices.getNotifications(10_000)) {
            heard.add(notice.getParameter());
          }
        }
        try (ResultSet row = statement.executeQuery("select repeat('x', 100000)")) {
          row.next();
          assertThat(row.getString(1)).hasSize(100_000);
        }
      }
      assertThat(heard).hasSize(100).doesNotHaveDuplicates();
    }
  }
}
