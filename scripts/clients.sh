#!/usr/bin/env bash
# Runs clients that other people made against the built service: test/clients, pinned there in package.json and
# requirements.txt. They are installed beside it, from the registries of npm and Python. A part of the nightly run.
# Usage: scripts/clients.sh [options of jest, such as -t langchain]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

here=test/clients
if [ ! -d "$here/.venv" ]; then python3 -m venv "$here/.venv"; fi
"$here/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
npm run --silent build --workspace clients/typescript
# --install-links: @lectern/client as others get it, with the `ai` that stands beside it.
npm install --prefix "$here" --install-links --no-package-lock --no-audit --no-fund --loglevel error

exec npx jest --selectProjects clients --verbose "$@"
