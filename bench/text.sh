#!/usr/bin/env bash
# Scores 100-character messages with Gavel and with alt-profanity-check in the same run. See bench/text.py.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/contrast.sh
venv=.cache/bench-text
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet alt-profanity-check==1.9.1 scikit-learn==1.9.1
cargo build --quiet --release --workspace --bin bench
OMP_NUM_THREADS=1 "$venv/bin/python" bench/text.py "${CARGO_TARGET_DIR:-target}/release/bench"
