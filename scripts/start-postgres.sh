#!/usr/bin/env bash
# Starts a private PostgreSQL 15 with pgvector >= 0.8 for tests and benchmarks, on Debian 12 with apt.
#
#   scripts/start-postgres.sh [FOLDER] [PORT]     starts the server; the last line of stdout is its DATABASE_URL
#   scripts/start-postgres.sh --stop [FOLDER]     stops the server
#   scripts/start-postgres.sh --build             builds the programs only
#
# FOLDER (default: $TMPDIR/lectern-postgres) holds the database. PORT defaults to a free port. The first start builds
# the programs and keeps them in $LECTERN_POSTGRES_PROGRAMS (default: /var/tmp/lectern-postgres-15). Debian 12 packages
# pgvector 0.4, so the extension is compiled from the source package of a later Debian. The script never uses or changes
# a PostgreSQL server of the system, its clusters or its files. If root calls the script, the server runs as the user
# `postgres`. Any other caller runs the server as itself, and needs postgresql-15, gcc and make to be installed.
# LECTERN_POSTGRES_SETTINGS adds lines to postgresql.conf, separated by semicolons.
set -euo pipefail

VERSION=15
DEFAULT_FOLDER=${TMPDIR:-/tmp}/lectern-postgres
PROGRAMS=${LECTERN_POSTGRES_PROGRAMS:-/var/tmp/lectern-postgres-$VERSION}
BIN=$PROGRAMS/lib/postgresql/$VERSION/bin
DATABASE=lectern
# apt's download user cannot write to these folders; without this setting apt warns about every file.
AS_ROOT='-o=APT::Sandbox::User=root'

# The comment above.
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
say() { echo "$*" >&2; }
fail() { say "start-postgres: $*"; exit 1; }

# PostgreSQL refuses to run as root.
as_server_user() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
  else
    "$@"
  fi
}

running() { as_server_user "$BIN/pg_ctl" -D "$1/cluster" status >/dev/null 2>&1; }

stop() {
  if [ -x "$BIN/pg_ctl" ] && [ -s "$1/cluster/PG_VERSION" ] && running "$1"; then
    as_server_user "$BIN/pg_ctl" -D "$1/cluster" -m fast -w stop >/dev/null
    say "PostgreSQL stopped"
  fi
}

install_packages() {
  local missing=()
  [ -x "/usr/lib/postgresql/$VERSION/bin/postgres" ] || missing+=("postgresql-$VERSION")
  command -v gcc >/dev/null || missing+=(gcc)
  command -v make >/dev/null || missing+=(make)
  [ -e /usr/include/stdlib.h ] || missing+=(libc6-dev)
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "please install ${missing[*]} first"
  # Without this file the package would create and start another cluster on port 5432.
  local quiet=/etc/postgresql-common/createcluster.d/lectern.conf
  mkdir -p "${quiet%/*}"
  echo 'create_main_cluster = false' >"$quiet"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
  rm -f "$quiet"
}

# The Debian mirror that apt uses on this machine.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: bookworm" | head -n 1
}

# Downloads the source of pgvector from the newest Debian on the mirror, and verifies it with Debian's signatures. Uses
# separate package lists and a separate cache, so that the package state of the machine does not change.
fetch_pgvector() {
  local work=$1 mirror suite
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then
    apt-get update -qq
    mirror=$(debian_mirror)
  fi
  [ -n "$mirror" ] || fail "apt has no Debian 12 mirror on this machine"
  mkdir -p "$work"/apt/{lists,cache/archives}/partial
  for suite in forky trixie; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/apt/sources.list"
    local options=(-qq -o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
      -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" $AS_ROOT)
    if apt-get "${options[@]}" update && (cd "$work" && apt-get "${options[@]}" source --download-only pgvector); then
      break
    fi
  done
  ls "$work"/pgvector_*.orig.tar.* >/dev/null 2>&1 || fail "the source of pgvector could not be fetched through apt"
  mkdir "$work/pgvector"
  tar -xf "$work"/pgvector_*.orig.tar.* -C "$work/pgvector" --strip-components=1
}

# Unpacks the headers and makefiles for extensions. Installing their package would install a whole compiler suite.
unpack_headers() {
  local work=$1
  (cd "$work" && { apt-get download $AS_ROOT -qq "postgresql-server-dev-$VERSION" ||
    { apt-get update -qq && apt-get download $AS_ROOT -qq "postgresql-server-dev-$VERSION"; }; })
  dpkg -x "$work"/postgresql-server-dev-*.deb "$work/headers"
  cp -a "$work/headers/usr/." "$PROGRAMS.new/"
}

# Copies the server's programs, because PostgreSQL looks for extensions beside its own binary.
build_programs() {
  local work=$PROGRAMS.build
  install_packages
  rm -rf "$PROGRAMS" "$PROGRAMS.new" "$work"
  mkdir -p "$PROGRAMS.new"/{lib,share}/postgresql "$work"
  cp -a "/usr/lib/postgresql/$VERSION" "$PROGRAMS.new/lib/postgresql/"
  cp -aL "/usr/share/postgresql/$VERSION" "$PROGRAMS.new/share/postgresql/"
  unpack_headers "$work"
  fetch_pgvector "$work"
  mv "$PROGRAMS.new" "$PROGRAMS"
  local flags=("PG_CONFIG=$BIN/pg_config" with_llvm=no)
  make -s -j "$(nproc)" -C "$work/pgvector" "${flags[@]}"
  make -s -C "$work/pgvector" "${flags[@]}" install
  rm -rf "$work"
  touch "$PROGRAMS/complete"
}

# Picks a port below the ephemeral ports. An ephemeral port may be in use by an outgoing connection although no program
# listens on it.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  fail "found no free port"
}

create_cluster() {
  local folder=$1
  install -d -m 711 "$folder"
  install -d -m 700 -o "$(as_server_user id -un)" "$folder/cluster"
  as_server_user "$BIN/initdb" -D "$folder/cluster" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  {
    echo "listen_addresses = '127.0.0.1'"
    echo "unix_socket_directories = ''"
    echo 'shared_buffers = 256MB'
    echo 'maintenance_work_mem = 512MB'
    echo 'max_wal_size = 4GB'
    echo 'random_page_cost = 1.1'
    tr ';' '\n' <<<"${LECTERN_POSTGRES_SETTINGS:-}"
  } >>"$folder/cluster/postgresql.conf"
}

build_once() {
  [ ! -e "$PROGRAMS/complete" ] || return 0
  say "building PostgreSQL $VERSION with pgvector into $PROGRAMS (once)"
  build_programs >&2
}

start() {
  local folder=$1 port=$2
  build_once
  [ -s "$folder/cluster/PG_VERSION" ] || create_cluster "$folder" >&2
  if ! running "$folder"; then
    [ -n "$port" ] || port=$(free_port)
    as_server_user "$BIN/pg_ctl" -D "$folder/cluster" -l "$folder/cluster/server.log" -o "-p $port" -w start >/dev/null ||
      fail "PostgreSQL did not start: $(tail -n 5 "$folder/cluster/server.log")"
  fi
  # The fourth line of the pid file is the actual port of the running server.
  port=$(as_server_user sed -n 4p "$folder/cluster/postmaster.pid")
  local query=(as_server_user "$BIN/psql" -h 127.0.0.1 -p "$port" -U postgres -qAtX -v ON_ERROR_STOP=1)
  if [ -z "$("${query[@]}" -d postgres -c "select 1 from pg_database where datname = '$DATABASE'")" ]; then
    "${query[@]}" -d postgres -c "create database $DATABASE"
  fi
  say "PostgreSQL $("${query[@]}" -d "$DATABASE" -c "select current_setting('server_version') || ', pgvector ' || default_version from pg_available_extensions where name = 'vector'")"
  echo "postgres://postgres@127.0.0.1:$port/$DATABASE"
}

locked() {
  # The lock allows only one start at a time. The server must not inherit it.
  exec 9>"$PROGRAMS.lock"
  flock 9
  "$@" 9>&-
}

case ${1:-} in
  --stop) stop "${2:-$DEFAULT_FOLDER}" ;;
  --build) locked build_once ;;
  --help | -h) usage ;;
  -*) fail "unknown option $1; see --help" ;;
  *) locked start "${1:-$DEFAULT_FOLDER}" "${2:-}" ;;
esac
