#!/usr/bin/env bash
# Hybrid text moderation on both runtimes, in process, and over HTTP: fifty messages in one batch and one by one. Prints
# tables for bench/README.md. Usage: bench/hybrid.sh [ROUNDS]        (models from `make models`)
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-30}
models=${GAVEL_MODELS_DIR:-.cache/models}
target=${CARGO_TARGET_DIR:-target}/release
cargo build --quiet --release --workspace --bin gavel --bin bench
data=$(mktemp -d)
export GAVEL_DATA_DIR=$data GAVEL_LISTEN=127.0.0.1:0 GAVEL_MODELS_DIR=$models GAVEL_LOG_FORMAT=json
"$target/gavel" serve --demo --empty >"$data/out" 2>"$data/log" &
trap 'kill %1; rm -r "$data"' EXIT
until grep -q '"listening"' "$data/log" && [ -s "$data/demo.json" ]; do sleep 0.1; done
address=$(sed -n 's/.*"address":"\([^"]*\)".*/\1/p' "$data/log" | head -n 1)
key=$(sed -n 's/.*"api_key": *"\([^"]*\)".*/\1/p' "$data/demo.json")
for runtime in auto off; do "$target/bench" hybrid "$models" "$runtime" "$rounds"; done |
    python3 bench/hybrid.py "$address" "$key" 15
