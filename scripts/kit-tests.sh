#!/usr/bin/env bash
# Tests the clients in clients/, the bots and adapters in examples/, and the pages about them, against
# target/debug/gavel or GAVEL_TEST_BINARY. Packages are pinned by hash: Python's go into .cache/kit, npm's into
# clients/typescript. With --install it only installs them; other arguments go to pytest.
# Usage: scripts/kit-tests.sh [--install|ARGUMENT...]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
kit=$PWD/.cache/kit
typescript=clients/typescript

# uv installs in a third of pip's time. As clients.sh: a file beside what was installed says what it was installed from.
scripts/pip.sh tests/kit/uv.txt .cache/kit/uv
pinned="$(python3 -VV) $(sha256sum tests/kit/requirements.txt)"
if [ "$(cat "$kit/python/installed" 2>/dev/null)" != "$pinned" ]; then
    rm -rf "$kit/python"
    "$kit/uv/bin/uv" pip install --quiet --python "$(command -v python3)" --only-binary :all: --require-hashes \
        --requirements tests/kit/requirements.txt --target "$kit/python"
    echo "$pinned" >"$kit/python/installed"
fi
pinned="$(sha256sum "$typescript/package-lock.json")"
if [ "$(cat "$typescript/node_modules/installed" 2>/dev/null)" != "$pinned" ]; then
    scripts/require.sh npm:npm
    npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$typescript"
    echo "$pinned" >"$typescript/node_modules/installed"
fi
[ "${1:-}" != --install ] || exit 0

# Bytecode beside the packages, whatever the environment says: else each bot would compile its libraries anew.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$kit/pycache" PYTHONPATH="$kit/python" MYPYPATH=tests/kit

# The package as users install it: a wheel, not the sources.
rm -rf "$kit/client"
"$kit/uv/bin/uv" pip install --quiet --python "$(command -v python3)" --offline --no-deps --no-build-isolation \
    --target "$kit/client" ./clients/python
export PYTHONPATH="$kit/client:$kit/python"

# While Python's tests wait for servers, what needs none is checked.
python3 -m pytest --config-file tests/kit/pytest.ini --numprocesses 3 --dist loadfile "$@" tests/kit &
tests=$!
trap 'kill "$tests" 2>/dev/null || true' EXIT
python3 clients/generate.py --check
mapfile -t examples < <(git ls-files 'examples/*.py')
python3 -m mypy --config-file tests/kit/mypy.ini --cache-dir "$kit/mypy" "$kit/client/gavel_client" tests/kit \
    "${examples[@]}"
wait "$tests"

# What npm would publish, without the packages that only build it.
cd "$typescript"
npx --no-install tsc --noEmit
npx --no-install vitest run
rm -rf node_modules/gavel-client "$kit"/gavel-client-*.tgz
npm pack --silent --pack-destination "$kit" >/dev/null
mkdir node_modules/gavel-client
tar --extract --gzip --file "$kit"/gavel-client-*.tgz --strip-components 1 --directory node_modules/gavel-client
packed=./node_modules/gavel-client/dist/index.js
node --input-type=module --eval "import { Gavel } from '$packed'; new Gavel({ baseUrl: 'http://127.0.0.1:8080' });"
