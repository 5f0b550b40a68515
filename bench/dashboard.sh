#!/usr/bin/env bash
# The dashboard: how long its requests take on a large dataset, and Lighthouse on its pages. Prints tables for
# bench/README.md.
# Usage: bench/dashboard.sh [SAMPLES [ROUNDS]]     (release build, or GAVEL=path; needs Node and Debian's chromium; with
# GAVEL_TEST_POSTGRES_URL set and psql there, PostgreSQL as well as SQLite)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -d bench/dashboard/node_modules/lighthouse ]; then
    npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --prefix bench/dashboard
fi
node bench/dashboard/pages.mjs "${GAVEL:-${CARGO_TARGET_DIR:-target}/release/gavel}"
echo
python3 bench/dashboard.py "$@"
