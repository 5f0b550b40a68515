#!/usr/bin/env bash
# Exports 100,000 samples in each form, reads the files back with pyarrow and DuckDB, and imports them. See
# bench/export.py.
# Usage: bench/export.sh      (with GAVEL_TEST_POSTGRES_URL set, PostgreSQL as well as SQLite)
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.cache/bench-export
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet pyarrow==26.0.1 duckdb==2.0.0
[ -n "${GAVEL_BINARY:-}" ] || cargo build --quiet --release
"$venv/bin/python" bench/export.py
