#!/usr/bin/env bash
# Installs the clients that tests/clients runs against Gavel, pinned by hash: pip's into .cache/clients/python, npm's
# into tests/clients/typescript/node_modules; and into .cache/clients/llama llama.cpp's server with a small model, which
# Gavel is a client of. Does nothing when they are there. Usage: scripts/clients.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

scripts/pip.sh tests/clients/python/requirements.txt .cache/clients/python
scripts/pip.sh tests/clients/llama/requirements.txt .cache/clients/llama

# A file in the folder says what it was installed from.
typescript=tests/clients/typescript
pinned="$(sha256sum "$typescript/package-lock.json")"
if [ "$(cat "$typescript/node_modules/installed" 2>/dev/null)" != "$pinned" ]; then
    scripts/require.sh npm:npm
    npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$typescript"
    echo "$pinned" >"$typescript/node_modules/installed"
fi
