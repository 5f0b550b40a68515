#!/usr/bin/env bash
# Makes the weights of the two text models again and measures them; the same data and code give the same bytes:
#   training/text/run.sh DATA_DIR LANGUAGES_DIR
# DATA_DIR holds text_{train,dev,devtest}.jsonl.gz and domains_{train,devtest}.csv.gz, LANGUAGES_DIR the rows in many
# languages (training/README.md).
set -euo pipefail
usage="usage: training/text/run.sh DATA_DIR LANGUAGES_DIR"
data=$(cd "${1:?$usage}" && pwd)
languages=$(cd "${2:?$usage}" && pwd)
cd "$(dirname "$0")/../.."
scripts/contrast.sh
run() { cargo run --quiet --release -p training --bin "$@"; }
run train_domains "$data"
run train_text "$data" "$languages"
# Built again with the new weights inside, so that what is measured is what ships.
run eval_text "$data"
run eval_languages "$languages" --before training/text/before
# The hybrid model is combined anew with training/hybrid/refit.sh.
