#!/usr/bin/env bash
# Builds the dashboard and the pages of help into dashboard/dist, which Gavel's binary embeds. Does nothing when they
# are up to date. Without Node 20.19 or newer it says so and leaves dashboard/dist as it is; with --require it fails
# instead. With --install it only installs the dashboard's packages, or fails.
# Usage: scripts/dashboard.sh [--require|--install]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../dashboard"

node_is_new_enough() {
    local version
    version=$(node --version 2>/dev/null) && printf 'v20.19\n%s\n' "$version" | sort --check=quiet --version-sort
}

if ! command -v npm >/dev/null || ! node_is_new_enough; then
    echo "the dashboard needs Node 20.19 or newer, with npm: https://nodejs.org/en/download" >&2
    [ -z "${1:-}" ] || exit 1
    echo "Gavel is built without it" >&2
    exit 0
fi

# As clients.sh: a file beside what was installed says what it was installed from.
pinned="$(node --version) $(sha256sum package-lock.json)"
if [ "$(cat node_modules/installed 2>/dev/null)" != "$pinned" ]; then
    npm ci --silent --no-audit --no-fund --ignore-scripts
    echo "$pinned" >node_modules/installed
fi
[ "${1:-}" != --install ] || exit 0

files() {
    find src public -path src/gql -prune -o -type f -print0
    printf '%s\0' ../schema.graphql ./*.html ./*.json ./*.ts ./*.cjs
}
sources=$(files | sort -z | xargs -0 sha256sum | sha256sum)
if [ ! -d dist/assets ] || [ "$(cat node_modules/built 2>/dev/null)" != "$sources" ]; then
    npm run --silent build -- --logLevel warn
    echo "$sources" >node_modules/built
    rm -f node_modules/helped
fi

# The pages at /help/, which change more often than the dashboard.
pages=$(find ../docs ../models ../bench help.mjs help.css ../*.md ../config.default.toml -type f \
    \( -name '*.md' -o -name '*.png' -o -name 'help.*' -o -name '*.toml' \) -print0 \
    | sort -z | xargs -0 sha256sum | sha256sum)
if [ ! -d dist/help ] || [ "$(cat node_modules/helped 2>/dev/null)" != "$pages" ]; then
    npm run --silent help
    echo "$pages" >node_modules/helped
fi
