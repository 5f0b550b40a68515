#!/usr/bin/env bash
# Faces and ages of pictures that ship with packages, Gavel beside face-api in the same run: of the same pixels on each
# runtime, then of the files as they are, which each decodes itself: a JPEG's pixels then differ by one or two in 255, a
# crop by a pixel, and the age net's reading by up to some years.
# Usage: bench/faces.sh [ROUNDS]        (needs Node and pip; models from `make models`)
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
work=.cache/bench
[ -d bench/image/node_modules/@vladmandic/face-api ] || npm ci --silent --no-audit --no-fund --prefix bench/image
python3 bench/image/face_pictures.py $work/faces bench/image/node_modules
node bench/image/faces.mjs png $work/faces-png $work/faces/*
cargo build --quiet --release --workspace --bin bench
beside() { # TITLE RUNTIME FILE...
    title=$1 runtime=$2; shift 2
    printf '\n### %s\n\n' "$title"
    "${CARGO_TARGET_DIR:-target}/release/bench" faces .cache/models "$runtime" "$rounds" "$@" >$work/faces.json
    node bench/image/faces.mjs beside $work/faces.json "$rounds" "$@" 2>$work/faces.log || cat $work/faces.log
}
beside "the same pixels, ONNX Runtime" auto $work/faces-png/*
beside "the same pixels, rten" off $work/faces-png/*
beside "the same files, ONNX Runtime" auto $work/faces/*
