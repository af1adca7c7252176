#!/usr/bin/env bash
# Keeps the schema and the rows of a PostgreSQL database as a state from which test/operations/upgrades.e2e.ts upgrades:
#   DATABASE_URL=... scripts/keep-state.sh 0.1.0
# Fill the database with a few short documents first. Keys, logs and the owner of the file store are left out.
set -euo pipefail
name=${1:?usage: DATABASE_URL=... scripts/keep-state.sh NAME}
folder=$(dirname "$0")/../test/fixtures/upgrades
mkdir -p "$folder"
pg_dump --inserts --no-owner --no-privileges --no-comments \
  --exclude-table-data=api_keys --exclude-table-data=operation_log --exclude-table-data=rate_limits \
  --exclude-table-data=audit_log "$DATABASE_URL" |
  grep -Ev '^(--|\\|SET |SELECT pg_catalog.set_config)|INSERT INTO public.service_state VALUES \(.object_store' > "$folder/$name.sql"
