package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whom the server's programs are run as. PostgreSQL refuses to run as root, and nobody should have
 * to do anything about that, so a process of root's runs them in one of two other ways:
 *
 * <ul>
 *   <li>as an account of the machine that may do less, which then owns the data;
 *   <li>where that account cannot reach the folder, in a user namespace: there the process bears
 *       the account's number and has none of root's powers, and to all others it is the owner of
 *       the folder.
 * </ul>
 *
 * The namespace serves a process as well whose user has no name, as in some containers: PostgreSQL
 * wants one.
 *
 * @param prefix what to put in front of a command
 * @param isShell whether the command is to follow as one word, for a shell to take apart
 * @param owner the account that owns the data, if it is not the user of this process
 */
record ServerUser(List<String> prefix, boolean isShell, Optional<Account> owner) {

  private static final Logger LOG = LoggerFactory.getLogger(ServerUser.class);

  /** The first of them that exists; the second is on every machine. */
  private static final List<String> ACCOUNTS = List.of("postgres", "nobody", "daemon");

  private static final ServerUser SAME = new ServerUser(List.of(), false, Optional.empty());

  /** An account of the machine, by its numbers; a name is not needed by all programs. */
  record Account(String name, int uid, int gid) {}

  /**
   * Returns whom to run the server as. Where there are data already, their owner decides.
   *
   * @param folder the server's folder, which is there
   * @param root whether this is a process of root's
   */
  static ServerUser choose(ServerFolder folder, boolean root) throws IOException {
    if (!root && Commands.succeeds(List.of("id", "-un"))) {
      return SAME;
    }
    if (Files.exists(folder.data())) {
      int uid = (Integer) Files.getAttribute(folder.data(), "unix:uid");
      int gid = (Integer) Files.getAttribute(folder.data(), "unix:gid");
      if (root && uid != 0) {
        return switched(new Account(nameOf(uid), uid, gid), folder);
      }
      return inNamespace(anyAccount())
          .orElseThrow(
              () ->
                  new EmbeddedPostgresException(
                      folder.data()
                          + " belongs to this user, as whom PostgreSQL cannot run here because"
                          + " user namespaces are not allowed; give it to another user with chown"
                          + " -R, such as nobody"));
    }
    Account account = anyAccount();
    Optional<ServerUser> other = root ? switchedIfReachable(account, folder) : Optional.empty();
    if (other.isPresent()) {
      return other.get();
    }
    Optional<ServerUser> namespace = inNamespace(account);
    namespace.ifPresent(
        user ->
            LOG.info(
                "PostgreSQL runs in a user namespace, as {} cannot reach folder={}",
                account.name(),
                folder.path()));
    return namespace.orElseThrow(() -> unreachable(account, folder, root));
  }

  static boolean isRoot() throws IOException {
    return Commands.run(List.of("id", "-u")).output().equals("0");
  }

  /** Returns the command that runs a program as this user. */
  List<String> command(String... command) {
    List<String> whole = new ArrayList<>(prefix);
    if (isShell) {
      whole.add(Arrays.stream(command).map(Commands::quoted).collect(Collectors.joining(" ")));
    } else {
      whole.addAll(List.of(command));
    }
    return whole;
  }

  /** Gives a new file or an empty folder to this user. */
  void own(Path path) throws IOException {
    if (owner.isPresent()) {
      Files.setAttribute(path, "unix:uid", owner.get().uid());
      Files.setAttribute(path, "unix:gid", owner.get().gid());
    }
  }

  /** Lets this user pass through a folder that stays closed to everybody else. */
  void mayPass(Path folder) throws IOException {
    if (owner.isPresent()) {
      Files.setAttribute(folder, "unix:gid", owner.get().gid());
    }
    Files.setPosixFilePermissions(
        folder, PosixFilePermissions.fromString(owner.isPresent() ? "rwx--x---" : "rwx------"));
  }

  private static Account anyAccount() throws IOException {
    for (String name : ACCOUNTS) {
      Commands.Result user = Commands.run(List.of("id", "-u", name));
      Commands.Result group = Commands.run(List.of("id", "-g", name));
      if (user.isOk() && group.isOk()) {
        return new Account(name, Integer.parseInt(user.output()), Integer.parseInt(group.output()));
      }
    }
    throw new EmbeddedPostgresException(
        "PostgreSQL refuses to run as root, and there is no account to run it as (looked for "
            + String.join(", ", ACCOUNTS)
            + "); create one of them, or run this process as another user than root");
  }

  private static String nameOf(int uid) throws IOException {
    Commands.Result name = Commands.run(List.of("id", "-un", Integer.toString(uid)));
    return name.isOk() ? name.output() : Integer.toString(uid);
  }

  private static ServerUser switched(Account account, ServerFolder folder) throws IOException {
    return switchedIfReachable(account, folder)
        .orElseThrow(() -> unreachable(account, folder, true));
  }

  /**
   * The folder itself is closed by us, and will be opened to the account; it is about those above.
   */
  private static Optional<ServerUser> switchedIfReachable(Account account, ServerFolder folder)
      throws IOException {
    String above = folder.path().resolveSibling(".").normalize().toString();
    return ways(account).stream()
        .filter(way -> Commands.succeeds(way.command("test", "-x", above)))
        .findFirst();
  }

  /** Which of them a machine has differs; the first is the most direct. */
  private static List<ServerUser> ways(Account account) {
    String uid = Integer.toString(account.uid());
    String gid = Integer.toString(account.gid());
    String name = account.name();
    return List.of(
        way(account, false, "setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--"),
        way(account, false, "runuser", "-u", name, "--"),
        way(account, false, "sudo", "-n", "-u", name, "--"),
        way(account, true, "su", "-s", "/bin/sh", name, "-c"));
  }

  private static ServerUser way(Account account, boolean isShell, String... prefix) {
    return new ServerUser(List.of(prefix), isShell, Optional.of(account));
  }

  private static Optional<ServerUser> inNamespace(Account account) {
    ServerUser user =
        new ServerUser(
            List.of(
                "unshare",
                "--user",
                "--map-user=" + account.uid(),
                "--map-group=" + account.gid(),
                "--"),
            false,
            Optional.empty());
    return Commands.succeeds(user.command("true")) ? Optional.of(user) : Optional.empty();
  }

  private static EmbeddedPostgresException unreachable(
      Account account, ServerFolder folder, boolean root) {
    if (!root) {
      return new EmbeddedPostgresException(
          "the user of this process has no name, which PostgreSQL needs, and user namespaces are"
              + " not allowed here; add the user to /etc/passwd, or run as another");
    }
    String reason =
        ways(account).stream()
            .filter(way -> Commands.succeeds(way.command("true")))
            .findFirst()
            .map(
                way ->
                    account.name()
                        + ", as whom it would be run, cannot enter "
                        + closed(way, folder)
                        + "; name a folder of which all folders above can be entered by everybody")
            .orElse("none of setpriv, runuser, sudo and su works here; install one of them");
    return new EmbeddedPostgresException(
        "PostgreSQL refuses to run as root, and "
            + reason
            + ", or run this process as another user than root (folder="
            + folder.path()
            + ")");
  }

  /** Returns the outermost folder that an account cannot enter. */
  private static Path closed(ServerUser way, ServerFolder folder) {
    Path closed = folder.path();
    for (Path above = closed.getParent(); above != null; above = above.getParent()) {
      if (!Commands.succeeds(way.command("test", "-x", above.toString()))) {
        closed = above;
      }
    }
    return closed;
  }
}
