#!/usr/bin/env bash
# Checks what is not Rust: shell scripts with shellcheck, Python with ruff, TypeScript, JavaScript and CSS with prettier
# and oxlint. With --fix, the formatters and ruff change what they can first. Usage: scripts/lint.sh [--fix]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scripts/require.sh shellcheck:shellcheck
scripts/pip.sh scripts/requirements.txt .cache/lint
scripts/dashboard.sh --install
ruff=.cache/lint/bin/ruff
prettier=dashboard/node_modules/.bin/prettier

mapfile -t shell < <(git ls-files '*.sh' .ci/run)
mapfile -t web < <(git ls-files '*.ts' '*.tsx' '*.js' '*.mjs' '*.cjs' '*.css')

if [ "${1:-}" = --fix ]; then
    "$ruff" check --quiet --fix . || true
    "$ruff" format --quiet .
    "$prettier" --log-level warn --write "${web[@]}"
fi

shellcheck "${shell[@]}"
"$ruff" check --quiet .
"$ruff" format --quiet --check .
"$prettier" --log-level warn --check "${web[@]}"
npm run --silent --prefix dashboard lint

# What the formatters leave: long strings, comments and commands.
if LC_ALL=C.UTF-8 grep --line-number --extended-regexp '^.{121}' "${shell[@]}" "${web[@]}"; then
    echo "these lines are longer than 120 columns" >&2
    exit 1
fi
