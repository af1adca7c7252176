#!/usr/bin/env bash
# Starts a private Citus cluster for tests and benchmarks: a coordinator and two workers, each a PostgreSQL 15 with
# pgvector from scripts/start-postgres.sh, on Debian 12 with apt.
#
#   scripts/start-citus.sh [FOLDER] [PORT]     starts it; the last line of stdout is the coordinator's DATABASE_URL
#   scripts/start-citus.sh --stop [FOLDER]     stops all three servers
#   scripts/start-citus.sh --built             exits with 0 if the programs are built; a start then takes seconds
#
# FOLDER (default: $TMPDIR/lectern-citus) holds the three databases. The coordinator listens on PORT (default: 20500),
# the workers on PORT+1 and PORT+2. The database `lectern` is not distributed at first. To distribute it, run
# `lectern distribute --worker 127.0.0.1:PORT+1 --worker 127.0.0.1:PORT+2`.
#
# The first start builds the programs, which takes minutes, and keeps them in $LECTERN_CITUS_PROGRAMS (default:
# /var/tmp/lectern-citus-15). Debian does not package Citus, so its source is cloned at a pinned commit from
# LECTERN_CITUS_SOURCE (default: the public repository; may also be a mirror or a local copy).
# LECTERN_POSTGRES_SETTINGS adds lines of postgresql.conf, separated by semicolons.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

VERSION=15
TAG=v13.2.2
COMMIT=cc91f4c29cc358f66e70eb1ef204a45999933926
SOURCE=${LECTERN_CITUS_SOURCE:-https://github.com/citusdata/citus.git}
DEFAULT_FOLDER=${TMPDIR:-/tmp}/lectern-citus
DEFAULT_PORT=20500
PROGRAMS=${LECTERN_CITUS_PROGRAMS:-/var/tmp/lectern-citus-$VERSION}
NODES=(coordinator worker1 worker2)

# The comment above.
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "scripts/start-citus.sh"; }
say() { echo "$*" >&2; }
fail() { say "start-citus: $*"; exit 1; }

export LECTERN_POSTGRES_PROGRAMS=$PROGRAMS
# Each session of the service on the coordinator opens its own sessions on the workers.
export LECTERN_POSTGRES_SETTINGS="shared_preload_libraries = 'citus, pg_stat_statements'; citus.node_conninfo = 'sslmode=disable'; wal_level = logical; max_connections = 300; shared_buffers = 128MB; ${LECTERN_POSTGRES_SETTINGS:-}"

install_packages() {
  local missing=() name
  for name in git gcc make; do
    command -v "$name" >/dev/null || missing+=("$name")
  done
  # Pairs of a package and a header, which exists if the package is installed.
  for name in libpq-dev:postgresql/libpq-fe.h libssl-dev:openssl/ssl.h libkrb5-dev:gssapi/gssapi.h \
    libzstd-dev:zstd.h liblz4-dev:lz4.h libxml2-dev:libxml2/libxml/parser.h; do
    [ -e "/usr/include/${name#*:}" ] || missing+=("${name%%:*}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || fail "please install ${missing[*]} first"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt could not install ${missing[*]}"
}

fetch_source() {
  local folder=$1
  git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$TAG" "$SOURCE" "$folder" ||
    fail "no source of Citus at $SOURCE: set LECTERN_CITUS_SOURCE to a mirror or a copy of its repository"
  [ "$(git -C "$folder" rev-parse HEAD)" = "$COMMIT" ] ||
    fail "$TAG of $SOURCE is not the commit $COMMIT"
}

build_citus() {
  local work=$PROGRAMS.citus-build config=$PROGRAMS/lib/postgresql/$VERSION/bin/pg_config
  scripts/start-postgres.sh --build
  install_packages
  rm -rf "$work"
  fetch_source "$work"
  # PostgreSQL 15.20 added a function with this name.
  grep -rl have_createdb_privilege "$work/src" | xargs sed -i 's/have_createdb_privilege/citus_&/g'
  (
    cd "$work"
    PG_CONFIG=$config CFLAGS='-O2 -g0' CPPFLAGS=-I/usr/include/postgresql ./configure --quiet --without-libcurl
    make -s -j "$(nproc)" extension with_llvm=no
    make -s install-extension with_llvm=no
  )
  rm -rf "$work"
  touch "$PROGRAMS/citus"
}

stop() {
  local node
  for node in "${NODES[@]}"; do scripts/start-postgres.sh --stop "$1/$node"; done
}

start() {
  local folder=$1 port=$2 node url
  if [ ! -e "$PROGRAMS/citus" ]; then
    say "building Citus $TAG for PostgreSQL $VERSION into $PROGRAMS (once)"
    build_citus >&2
  fi
  install -d -m 711 "$folder"
  for node in worker1 worker2 coordinator; do
    case $node in
      coordinator) url=$(scripts/start-postgres.sh "$folder/$node" "$port" | tail -n 1) ;;
      *) scripts/start-postgres.sh "$folder/$node" $((port + ${node#worker})) >/dev/null ;;
    esac
  done
  echo "$url"
}

case ${1:-} in
  --stop) stop "${2:-$DEFAULT_FOLDER}" ;;
  --built) [ -e "$PROGRAMS/citus" ] ;;
  --help | -h) usage ;;
  -*) fail "unknown option $1; see --help" ;;
  *)
    # The lock allows only one start at a time. The servers must not inherit it.
    exec 9>"$PROGRAMS.citus.lock"
    flock 9
    start "${1:-$DEFAULT_FOLDER}" "${2:-$DEFAULT_PORT}" 9>&-
    ;;
esac
