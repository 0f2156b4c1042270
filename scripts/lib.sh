# Functions for the scripts of this repository; plain POSIX sh, to be sourced from the repository's top folder:
#
#   #!/bin/sh
#   set -eu
#   cd "$(dirname "$0")"; . scripts/lib.sh
#   build_if_changed examples/demo
#   exec "$(java_command)" -cp "$(class_path examples/demo)" dev.monotick.examples.demo.Demo "$@"
#
# A script that must keep its caller's folder sets MONOTICK_ROOT to the top folder instead of changing into it.

MONOTICK_ROOT=${MONOTICK_ROOT:-$(pwd)}

# say WORDS...: tells the user something, on standard error so that a program's output stays clean.
say() { printf '%s\n' "$*" >&2; }

# die WORDS...: says what is wrong and ends the script.
die() {
  say "$(basename "$0"): $*"
  exit 1
}

# install_if_missing COMMAND PACKAGE CONSEQUENCE: installs a Debian package if a command is missing, where that needs no
# permission: as root, with apt-get. Otherwise prints the consequence.
install_if_missing() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "Installing $2 ..."
    mkdir -p "$MONOTICK_ROOT/target"
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install "$2"; } \
      >"$MONOTICK_ROOT/target/install-$2.log" 2>&1 </dev/null ||
      say "$2 could not be installed (target/install-$2.log): $3."
  else
    say "$2 is not installed: $3."
  fi
}

# java_command: prints the java to run: that of JAVA_HOME if set, else the one on PATH.
java_command() {
  if [ -n "${JAVA_HOME:-}" ]; then printf '%s\n' "$JAVA_HOME/bin/java"; else printf 'java\n'; fi
}

# java_version COMMAND: prints the feature version (17, 21, ...) of a java command; fails if it does not run.
java_version() {
  "$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = \(1\.\)\{0,1\}//p' | grep .
}

# require_java: ends the script unless the java to run is there and new enough.
require_java() {
  require_java_version=$(java_version "$(java_command)") ||
    die "no Java found. Install a JDK of version 17 or newer, or set JAVA_HOME to one."
  [ "$require_java_version" -ge 17 ] ||
    die "Java 17 or newer is needed, but this is Java $require_java_version. Install a newer JDK, or set JAVA_HOME to one."
}

# java_home_newest [MINIMUM]: prints the home of the newest JDK in the usual folders; fails if none is at least MINIMUM.
java_home_newest() {
  java_home_found='' java_home_best=$((${1:-17} - 1))
  for java_home in "${JAVA_HOME:-}" /usr/lib/jvm/* /usr/java/* /opt/java/* "$HOME"/.sdkman/candidates/java/* \
    "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ -n "$java_home" ] && [ -x "$java_home/bin/javac" ]; then
      java_home_version=$(java_version "$java_home/bin/java") || continue
      if [ "$java_home_version" -gt "$java_home_best" ]; then
        java_home_found=$java_home java_home_best=$java_home_version
      fi
    fi
  done
  [ -n "$java_home_found" ] && printf '%s\n' "$java_home_found"
}

# copy_sources FOLDER: copies everything git tracks or would track to a new folder; without git, all but build output.
copy_sources() {
  mkdir -p "$1"
  (
    cd "$MONOTICK_ROOT"
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
      git ls-files -co --exclude-standard | while IFS= read -r file; do
        if [ -e "$file" ]; then printf '%s\n' "$file"; fi
      done
    else
      find . -name target -prune -o -name .git -prune -o -type f -print
    fi | tar -cf - -T -
  ) | tar -xf - -C "$1"
}

# sources_changed MODULE: succeeds if the module was never built by build_if_changed, or anything that might matter to it
# was touched since. All modules count, not only those it stands on: that is simple, never wrong, and costs little.
sources_changed() {
  sources_stamp=$MONOTICK_ROOT/$1/target/built
  [ -f "$sources_stamp" ] && [ -f "$MONOTICK_ROOT/$1/target/class-path" ] || return 0
  # Folders count too: a file that was deleted or renamed shows there only.
  [ -z "$(find "$MONOTICK_ROOT" \( -name target -o -name .git -o -name node_modules \) -prune -o -newer "$sources_stamp" \
    \( -path '*/src/main' -o -path '*/src/main/*' -o -name pom.xml -o -path '*/.mvn/*' \) -print | head -n 1)" ] || return 0
  # What Maven has downloaded may have been cleared away, or the repository moved.
  class_path "$1" | tr ':' '\n' | while IFS= read -r sources_entry; do [ -e "$sources_entry" ] || exit 1; done || return 0
  return 1
}

# build_if_changed MODULE: builds a module (its folder, as examples/demo) and what it stands on, without tests and checks,
# unless that was done since its sources changed. Says so when it builds; shows Maven's words only when it fails.
build_if_changed() {
  [ -f "$MONOTICK_ROOT/$1/pom.xml" ] || die "there is no module $1 here"
  sources_changed "$1" || return 0
  (
    mkdir -p "$MONOTICK_ROOT/target" "$MONOTICK_ROOT/$1/target"
    # One build at a time, where the system can do that: two would write the same files.
    if command -v flock >/dev/null 2>&1; then
      exec 9>"$MONOTICK_ROOT/target/build.lock"
      flock 9
      sources_changed "$1" || exit 0
    fi
    build_log=$MONOTICK_ROOT/$1/target/build.log
    build_start=$(date +%s)
    say "Building $1 (the first time downloads libraries) ..."
    # Taken before the build, so that what is edited during it counts as changed.
    : >"$MONOTICK_ROOT/$1/target/building"
    if ! (cd "$MONOTICK_ROOT" && ./mvnw -B -ntp -pl "$1" -am -DskipTests -Dspotless.check.skip \
      package dependency:build-classpath -DincludeScope=runtime -Dmdep.outputFile=target/class-path) \
      >"$build_log" 2>&1 </dev/null 9>&-; then
      plain_text <"$build_log" | maven_highlights >&2
      exit 1
    fi
    mv "$MONOTICK_ROOT/$1/target/building" "$MONOTICK_ROOT/$1/target/built"
    say "Built $1 in $(($(date +%s) - build_start)) s."
  ) || die "building $1 failed"
}

# class_path MODULE: prints the class path of a module that build_if_changed has built.
class_path() {
  class_path_libraries=$(cat "$MONOTICK_ROOT/$1/target/class-path")
  printf '%s\n' "$MONOTICK_ROOT/$1/target/classes${class_path_libraries:+:$class_path_libraries}"
}

# plain_text: copies standard input without colours and other terminal codes.
plain_text() {
  plain_text_escape=$(printf '\033')
  sed "s/$plain_text_escape\[[0-9;]*[A-Za-z]//g"
}

# maven_highlights: lets through what a reader wants to see of Maven's output: modules, test counts per module, warnings, and
# errors with the lines that belong to them.
maven_highlights() {
  awk '
    /^\[INFO\] Building .*\[[0-9]+\/[0-9]+\]$|^\[INFO\] Building [^:]*SNAPSHOT$/ { error = 0; sub(/^\[INFO\] Building /, "  "); print; fflush(); next }
    /^\[(INFO|WARNING|ERROR)\] +Tests run:/ && !/ -- in / { error = 0; print; fflush(); next }
    /^\[INFO\]|^\[WARNING\]/ { error = 0 }
    /^\[ERROR\] (To see the full|Re-run Maven|For more information|\[Help |After correcting|  mvn <args>|$)/ { next }
    /^\[ERROR\]/ { error = 1 }
    /^\[WARNING\]/ || error { print; fflush() }'
}
