package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Whom the server runs as. PostgreSQL refuses to run as root; a process of root's runs it as
 * somebody who may do less.
 *
 * @param prefix what to put in front of a command, so that it is run as that user
 * @param name the user, empty if it is that of this process
 */
record ServerUser(List<String> prefix, String name) {

  private static final List<String> CANDIDATES = List.of("postgres", "nobody", "daemon");

  List<String> command(String... command) {
    List<String> whole = new ArrayList<>(prefix);
    whole.addAll(List.of(command));
    return whole;
  }

  boolean isAnother() {
    return !name.isEmpty();
  }

  static ServerUser choose(Path folder) throws IOException {
    if (!Commands.run(List.of("id", "-u")).output().equals("0")) {
      return new ServerUser(List.of(), "");
    }
    for (String name : CANDIDATES) {
      Commands.Result user = Commands.run(List.of("id", "-u", name));
      Commands.Result group = Commands.run(List.of("id", "-g", name));
      if (user.isOk() && group.isOk()) {
        String uid = user.output();
        String gid = group.output();
        ServerUser switched =
            new ServerUser(
                List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--"),
                name);
        if (Commands.run(switched.command("test", "-x", folder.toString())).isOk()) {
          return switched;
        }
        // A folder below one that is closed to others: stay its owner, without the powers of root.
        return new ServerUser(
            List.of("unshare", "--user", "--map-user=" + uid, "--map-group=" + gid, "--"), "");
      }
    }
    throw new EmbeddedPostgresException(
        "PostgreSQL refuses to run as root, and there is none of the users "
            + String.join(", ", CANDIDATES)
            + " to run it as; create one of them, or run this process as another user than root");
  }

  void own(Path path) throws IOException {
    if (isAnother()) {
      Commands.Result done = Commands.run(List.of("chown", "-R", name + ":", path.toString()));
      if (!done.isOk()) {
        throw new IOException(done.output());
      }
    }
  }
}
