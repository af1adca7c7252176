#!/usr/bin/env bash
# Generates valid and invalid requests from the OpenAPI document and sends them to the built service. Fails if a
# response is a 5xx, has an undocumented status or content type, or violates its schema, and if the service accepts
# invalid input. Needs `npm run build`, python3 with venv, and pip. Contacts only its own service, on a free port of
# this machine.
#
#   scripts/schemathesis.sh [OPTION...]     options of `schemathesis run`, such as --include-path /query
#
# CASES: number of generated requests per operation (default: 200).
# SEED: seed of the generator (default: 1); the same seed repeats a run.
# DATABASE_URL: an empty PostgreSQL database that this run may fill. Unset: the embedded database.
#
# The reports are in reports/schemathesis/. The configuration and the expected deviations from the OpenAPI document are
# in test/schemathesis/schemathesis.toml. The exit code is 0 if the run has no findings.
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
    # The service exits by itself within 28 s, but may miss a signal that it receives during its start.
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

# call METHOD PATH BODY: prints the body of the response.
call() {
  python3 - "$LECTERN_URL" "$@" <<'PYTHON'
import os, sys, urllib.request
url, method, path, body = sys.argv[1:]
headers = {"authorization": "Bearer " + os.environ["LECTERN_KEY"], "content-type": "application/json"}
request = urllib.request.Request(url + path, body.encode() or None, headers, method=method)
print(urllib.request.urlopen(request).read().decode())
PYTHON
}

# member NAME: prints a member of the JSON object on stdin.
member() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

install() {
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -qq --disable-pip-version-check --no-deps --requirement test/schemathesis/requirements.txt
}

# The service inherits only these variables, so that it never calls a model provider of the user.
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

# Creates resources. Half of the requests use their ids, the other half unknown ids.
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
# The working files of schemathesis (examples database, cache) go into a temporary folder.
(
  cd "$work"
  config=$OLDPWD/test/schemathesis/schemathesis.toml
  "$work/venv/bin/schemathesis" --config-file "$config" run "$LECTERN_URL/openapi.json" --max-examples "${CASES:-200}" \
    --seed "${SEED:-1}" --report junit,json --report-dir "$reports" --no-color "$@"
) 2>&1 | tee "$reports/summary.txt"
