#!/usr/bin/env bash
# Requests made from the OpenAPI document, valid and invalid ones, against the built service: no 5xx, no undocumented
# status or content type, no answer that its schema refuses, nothing invalid accepted. Needs `npm run build`, python3
# with venv, and pip; its only traffic goes to a service of its own on a free port of this machine.
#
#   scripts/schemathesis.sh [OPTION...]     options of `schemathesis run`, such as --include-path /query
#
# CASES: generated requests for each operation (default: 200). SEED: repeats or varies a run (default: 1).
# DATABASE_URL: an empty PostgreSQL database that this run may fill. Unset: the embedded database.
# Reports: reports/schemathesis/. What is configured, and what is expected otherwise than by the document:
# test/schemathesis/schemathesis.toml. Exit code: 0 when nothing was found.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset FORCE_COLOR
reports=$PWD/reports/schemathesis
work=$(mktemp -d)
service=

finish() {
  local status=$?
  trap - EXIT INT TERM HUP
  if [ -n "$service" ]; then
    kill "$service" 2>/dev/null || true
    # It gives up by itself after 28 s; what was told to stop while it started may not have heard it.
    for _ in $(seq 150); do
      kill -0 "$service" 2>/dev/null || break
      sleep .2
    done
    kill -KILL "$service" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

fail() {
  echo "schemathesis: $*" >&2
  [ ! -s "$reports/service.log" ] || tail -n 20 "$reports/service.log" >&2
  exit 1
}

random() { head -c 48 /dev/urandom | base64 -w 0; }

# call METHOD PATH BODY: the body of the answer.
call() {
  python3 - "$LECTERN_URL" "$@" <<'PYTHON'
import os, sys, urllib.request
url, method, path, body = sys.argv[1:]
headers = {"authorization": "Bearer " + os.environ["LECTERN_KEY"], "content-type": "application/json"}
request = urllib.request.Request(url + path, body.encode() or None, headers, method=method)
print(urllib.request.urlopen(request).read().decode())
PYTHON
}

# member NAME: of the JSON object on stdin.
member() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

install() {
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -qq --disable-pip-version-check --no-deps --requirement test/schemathesis/requirements.txt
}

# Nothing is inherited but what is named here, so that a provider of this machine's user is not called.
start_service() {
  [ -e dist/main.js ] || fail 'run `npm run build` first'
  LECTERN_KEY=$(random)
  export LECTERN_KEY
  env -i PATH="$PATH" DATA_DIR="$work/data" ${DATABASE_URL:+DATABASE_URL="$DATABASE_URL"} JWT_SECRET="$(random)" \
    ADMIN_KEY="$LECTERN_KEY" PORT=0 RATE_LIMIT_PER_MINUTE=0 LOG_FORMAT=json node dist/main.js >"$reports/service.log" 2>&1 &
  service=$!
  for _ in $(seq 600); do
    LECTERN_URL=$(sed -nE 's#.*Server listening at (http://[^" ]+).*#\1#p' "$reports/service.log" | head -n 1)
    [ -z "$LECTERN_URL" ] || break
    kill -0 "$service" 2>/dev/null || fail 'the service did not start'
    sleep .2
  done
  [ -n "$LECTERN_URL" ] || fail 'the service was not ready in two minutes'
  export LECTERN_URL
}

# What half of the requests find at ids in their paths; the others ask for what is not there.
prepare() {
  local text='{"content":"The ferry leaves at nine. The island has two harbours.","filename":"ferry.txt"}'
  LECTERN_DOCUMENT=$(call POST /ingest/text "$text" | member external_id)
  call GET "/documents/$LECTERN_DOCUMENT/status?wait=60" '' >/dev/null
  LECTERN_CHAT=harbour
  call POST /query "{\"query\":\"When does the ferry leave?\",\"chat_id\":\"$LECTERN_CHAT\"}" >/dev/null
  export LECTERN_DOCUMENT LECTERN_CHAT
}

rm -rf "$reports"
mkdir -p "$reports"
: >"$reports/service.log"
install
start_service
prepare
export PYTHONDONTWRITEBYTECODE=1 LECTERN_HOOKS=$PWD/test/schemathesis/hooks.py
# Its own files (a database of what it found, a cache) go where they are removed.
(
  cd "$work"
  config=$OLDPWD/test/schemathesis/schemathesis.toml
  "$work/venv/bin/schemathesis" --config-file "$config" run "$LECTERN_URL/openapi.json" --max-examples "${CASES:-200}" \
    --seed "${SEED:-1}" --report junit,json --report-dir "$reports" --no-color "$@"
) 2>&1 | tee "$reports/summary.txt"
