#!/usr/bin/env bash
# Starts PgBouncer in transaction mode in front of a PostgreSQL server, for tests.
#
#   scripts/start-pgbouncer.sh DATABASE_URL [FOLDER] [PORT]   starts PgBouncer; the last line of stdout is the database
#                                                             URL through PgBouncer
#   scripts/start-pgbouncer.sh --stop [FOLDER]                stops PgBouncer
#
# FOLDER (default: $TMPDIR/lectern-pgbouncer) holds the configuration and the log. PORT defaults to a free port.
# PgBouncer serves every database of the server, and connects every client as the user of DATABASE_URL, without a
# password. The script needs Debian's package `pgbouncer`. If root calls the script, PgBouncer runs as the user
# `postgres`, otherwise as the caller. LECTERN_PGBOUNCER_SETTINGS adds lines to pgbouncer.ini, separated by semicolons.
# LECTERN_PGBOUNCER_CONNECT_QUERY replaces the statement that applies the settings of docs/operate/scale.md to each
# connection.
set -euo pipefail

DEFAULT_FOLDER=${TMPDIR:-/tmp}/lectern-pgbouncer
PATH=$PATH:/usr/sbin
CONNECT_QUERY=${LECTERN_PGBOUNCER_CONNECT_QUERY-"set hnsw.ef_search = 100; set hnsw.iterative_scan = relaxed_order; set jit = off; set max_parallel_workers_per_gather = 1; set work_mem = ''32MB''"}

# The comment above.
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
fail() { echo "start-pgbouncer: $*" >&2; exit 1; }

# PgBouncer refuses to run as root.
as_server_user() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
  else
    "$@"
  fi
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Picks a port below the ephemeral ports. An ephemeral port may be in use by an outgoing connection although no program
# listens on it.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + RANDOM % 12000))
    answers "$port" || { echo "$port"; return; }
  done
  fail "found no free port"
}

stop() {
  [ -s "$1/pid" ] || return 0
  local pid
  pid=$(cat "$1/pid")
  kill -TERM "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  echo "PgBouncer stopped" >&2
}

start() {
  local url=$1 folder=$2 port=${3:-} user host database password
  command -v pgbouncer >/dev/null || fail "please install the package pgbouncer first"
  [[ $url =~ ^postgres(ql)?://([^:@/]+)(:[^@/]*)?@([^:/]+)(:([0-9]+))?/([^?]+) ]] || fail "not a database: ${url##*@}"
  user=${BASH_REMATCH[2]} password=${BASH_REMATCH[3]#:} host=${BASH_REMATCH[4]} database=${BASH_REMATCH[7]}
  [ -n "$port" ] || port=$(free_port)
  install -d -m 700 -o "$(as_server_user id -un)" "$folder"
  cat >"$folder/pgbouncer.ini" <<END
[databases]
* = host=$host port=${BASH_REMATCH[6]:-5432} user=$user ${password:+password=$password }connect_query='$CONNECT_QUERY'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 8
server_idle_timeout = 20
ignore_startup_parameters = extra_float_digits, options
logfile = $folder/log
pidfile = $folder/pid
$(tr ';' '\n' <<<"${LECTERN_PGBOUNCER_SETTINGS:-}")
END
  chmod 644 "$folder/pgbouncer.ini"
  as_server_user pgbouncer -q -d "$folder/pgbouncer.ini"
  for _ in $(seq 100); do
    answers "$port" && break
    sleep 0.1
  done
  answers "$port" || fail "PgBouncer did not start: $(tail -n 5 "$folder/log")"
  echo "postgres://$user@127.0.0.1:$port/$database"
}

case ${1:-} in
  --stop) stop "${2:-$DEFAULT_FOLDER}" ;;
  --help | -h) usage ;;
  -*) fail "unknown option $1; see --help" ;;
  '') fail "which DATABASE_URL? see --help" ;;
  *) start "$1" "${2:-$DEFAULT_FOLDER}" "${3:-}" ;;
esac
