#!/bin/sh
# Makes the committed weights of the two text models again, byte for byte, and measures them:
#   training/text/run.sh DATA_DIR
# DATA_DIR holds text_{train,dev,devtest}.jsonl.gz and domains_{train,devtest}.csv.gz (training/README.md).
set -eu
data=$(cd "${1:?usage: training/text/run.sh DATA_DIR}" && pwd)
cd "$(dirname "$0")/../.."
run() { cargo run --quiet --release -p training --bin "$@"; }
run train_domains "$data"
run train_text "$data"
# Built again with the new weights inside, so that what is measured is what ships.
run eval_text "$data"
