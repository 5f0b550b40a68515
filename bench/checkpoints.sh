#!/usr/bin/env bash
# Checkpoints beside the model as it is and scikit-learn on the same embeddings. Prints tables for bench/README.md.
# Takes some minutes. Usage: bench/checkpoints.sh DATA [OUT]        (DATA has moderation/ and decisions/; models from
# `make models`; PYTHON is one with scikit-learn; PROFILE=dev builds without --release)
set -euo pipefail
cd "$(dirname "$0")/.."
data=$1 out=${2:-.cache/bench/checkpoints}
models=${GAVEL_MODELS_DIR:-.cache/models}
if [ "${PROFILE:-release}" = dev ]; then folder=debug; flags=; else folder=release; flags=--release; fi
cargo build --quiet $flags --workspace --bin bench
program=${CARGO_TARGET_DIR:-target}/$folder/bench
export OMP_NUM_THREADS=1
"${PYTHON:-python3}" bench/checkpoints_data.py "$data" "$out/sets"
for file in "$out"/sets/*.jsonl; do
    "$program" checkpoints train "$models" "$file"
done >"$out/trained.jsonl"
for set in banking77 house; do
    "$program" checkpoints serve "$models" "$out/sets/$set.head" "$out/sets/$set.jsonl" 300
done >"$out/served.jsonl"
"${PYTHON:-python3}" bench/checkpoints.py "$out"
