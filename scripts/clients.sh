#!/usr/bin/env bash
# Tests third-party clients (test/clients) with the built service. The clients come from the npm and Python registries;
# package.json and requirements.txt in test/clients pin their versions. Part of the nightly run.
# Usage: scripts/clients.sh [jest options, such as -t langchain]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

here=test/clients
if [ ! -d "$here/.venv" ]; then python3 -m venv "$here/.venv"; fi
"$here/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
npm run --silent build --workspace clients/typescript
# --install-links installs @lectern/client like a published package, so that it resolves the `ai` of test/clients.
npm install --prefix "$here" --install-links --no-package-lock --no-audit --no-fund --loglevel error

exec npx jest --selectProjects clients --verbose "$@"
