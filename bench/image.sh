#!/usr/bin/env bash
# The image engine beside nsfwjs in Node: the same answers, the CPU time of the classifier, and what a whole picture
# costs. Prints tables for bench/README.md. Usage: bench/image.sh [ROUNDS]        (needs Node and pip; models from `make
# models`)
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-3}
work=.cache/bench/image
if [ ! -d bench/image/node_modules/nsfwjs ]; then npm ci --silent --no-audit --no-fund --prefix bench/image; fi
python3 bench/image/class_pictures.py "$work/pictures" bench/image/node_modules
node bench/image/prepare.mjs "$work/pictures" "$work"
cargo build --quiet --release --workspace --bin bench
exec python3 bench/image/report.py \
    "${CARGO_TARGET_DIR:-target}/release/bench" "${GAVEL_MODELS_DIR:-.cache/models}" "$work" "$rounds"
