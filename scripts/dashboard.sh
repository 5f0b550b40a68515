#!/usr/bin/env bash
# Builds the dashboard into dashboard/dist, which Gavel's binary embeds. Does nothing when it is up to date. Without Node 20.19
# or newer it says so and leaves dashboard/dist as it is; with --require it fails instead. Usage: scripts/dashboard.sh [--require]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../dashboard"

if ! command -v npm >/dev/null || ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    echo "the dashboard needs Node 20.19 or newer, with npm: https://nodejs.org/en/download" >&2
    [ "${1:-}" != --require ] || exit 1
    echo "Gavel is built without it" >&2
    exit 0
fi

# As clients.sh: a file beside what was installed says what it was installed from.
pinned="$(node --version) $(sha256sum package-lock.json)"
if [ "$(cat node_modules/installed 2>/dev/null)" != "$pinned" ]; then
    npm ci --silent --no-audit --no-fund --ignore-scripts
    echo "$pinned" >node_modules/installed
fi

sources=$({ find src public -path src/gql -prune -o -type f -print0; printf '%s\0' ../schema.graphql ./*.html ./*.json ./*.ts ./*.cjs; } |
    sort -z | xargs -0 sha256sum | sha256sum)
if [ ! -d dist/assets ] || [ "$(cat node_modules/built 2>/dev/null)" != "$sources" ]; then
    npm run --silent build -- --logLevel warn
    echo "$sources" >node_modules/built
fi
