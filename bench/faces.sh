#!/bin/sh
# Faces and ages of pictures that ship with packages, Gavel beside face-api in the same run, first with ONNX Runtime and
# then with rten alone. Usage: bench/faces.sh [ROUNDS]        (needs Node and pip; models from `make models`)
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5}
pictures=.cache/bench/faces
[ -d bench/image/node_modules/@vladmandic/face-api ] || npm ci --silent --no-audit --no-fund --prefix bench/image
python3 bench/image/face_pictures.py "$pictures" bench/image/node_modules
cargo build --quiet --release --workspace --example faces
for runtime in auto off; do
    "${CARGO_TARGET_DIR:-target}/release/examples/faces" .cache/models "$runtime" "$rounds" "$pictures"/* >.cache/bench/faces.json
    node bench/image/faces.mjs .cache/bench/faces.json "$rounds" "$pictures"/* 2>/dev/null
done
