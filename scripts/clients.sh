#!/usr/bin/env bash
# Installs the clients that tests/clients runs against Gavel, pinned by hash: pip's into .cache/clients/python, npm's into
# tests/clients/typescript/node_modules. Does nothing when they are there. Usage: scripts/clients.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

# Each is there when a file beside it says what it was installed from; compiled wheels belong to one Python.
python=.cache/clients/python
pinned="$(python3 -VV) $(sha256sum tests/clients/python/requirements.txt)"
if [ "$(cat "$python/installed" 2>/dev/null)" != "$pinned" ]; then
    scripts/require.sh pip3:python3-pip
    rm -rf "$python"
    # Into a folder of its own: what else is installed is no concern, and neither is who installs.
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-warn-conflicts \
        --only-binary :all: --require-hashes --requirement tests/clients/python/requirements.txt --target "$python"
    echo "$pinned" >"$python/installed"
fi

typescript=tests/clients/typescript
pinned="$(sha256sum "$typescript/package-lock.json")"
if [ "$(cat "$typescript/node_modules/installed" 2>/dev/null)" != "$pinned" ]; then
    scripts/require.sh npm:npm
    npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$typescript"
    echo "$pinned" >"$typescript/node_modules/installed"
fi
