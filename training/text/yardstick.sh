#!/usr/bin/env bash
# Measures both text engines on dev rows, never on a test set: padding, false alarms by length, contrast families,
# languages.
#   training/text/yardstick.sh DATA_DIR LANGUAGES_DIR MODELS_DIR
set -euo pipefail
usage="usage: training/text/yardstick.sh DATA_DIR LANGUAGES_DIR MODELS_DIR"
data=${1:?$usage} languages=${2:?$usage} models=${3:?$usage}
cd "$(dirname "$0")/../.."
scripts/contrast.sh
run() { cargo run --quiet --release -p training --bin yardstick_text -- "$data" --languages "$languages" "$@"; }
echo "# native" && run
echo "# hybrid, every 12th row" && run --hybrid "$models" --every 12 --only padding,length
