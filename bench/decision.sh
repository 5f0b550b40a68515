#!/usr/bin/env bash
# The decision model on both runtimes: what a question costs, many on one state, and the encoder's share of it. Prints
# tables for bench/README.md. Usage: bench/decision.sh [ROUNDS [WEIGHTS]]        (models from `make models`)
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-30}
weights=${2:-models/gavel-decision-2.5.0.safetensors}
models=${GAVEL_MODELS_DIR:-.cache/models}
cargo build --quiet --release --workspace --bin bench
program=${CARGO_TARGET_DIR:-target}/release/bench
for command in encoder questions; do
    for runtime in auto off; do "$program" decision "$command" "$models" "$weights" "$runtime" "$rounds"; done
done | python3 bench/decision.py
