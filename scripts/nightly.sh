#!/usr/bin/env bash
# The long and the exhaustive specs, and others with sizes that take hours. Needs `npm run build`; `npm run test:nightly` does both.
#
# SEED: of the random tests, which the log names; unset: another one every night. DATABASE_URL: as for `npm test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Alone, because they load the machine or measure the memory of the service.
heavy=(
  test/filters/filters-against-mingo
  test/filters/scope-algebra
  test/filters/regex-against-re2
  test/long/retrieval/document-selection
  test/long/crash
  test/long/documents/histories
  test/long/documents/folders
  test/load
  test/long/ingestion/fair-queues
  src/json/read-json
  test/query/completion
)
env FILTER_RUNS=20000 SCOPE_RUNS=250 REGEX_RUNS=5000 SELECTION_FILTERS=300 \
  KILLS=20 UPDATE_KILLS=20 HISTORIES=400 STORM=400 ROUNDS=10 FOLDER_RUNS=5000 \
  MIXED_MINUTES=15 MIXED_STREAMS=500 DOCUMENTS=200 QUEUED=5000 \
  SPLITS=200 DISCONNECTS=50 TURNS=100 BODIES_AT_ONCE=6 REST_MS=60000 JSON_RUNS=100000 \
  npx jest -i "${heavy[@]}"

mapfile -t long < <(printf '%s\n' "${heavy[@]}" | grep '^test/long/')
npx jest --selectProjects exhaustive
npx jest --selectProjects long --testPathIgnorePatterns "${long[@]}"
SWAGGER_FORMS=all LANGUAGES_SEEN=all LOOKS_SEEN=all npx jest --selectProjects browser --testPathPatterns \
  'test/browser/(swagger|languages|playground|answers|source|ask-a-file|feedback|followed-chats|kept-chats|long-answers|many-documents|office-source)\.e2e'
npx jest --selectProjects unit --findRelatedTests test/support/properties.ts
