#!/bin/sh
# Makes the hybrid model's weights, golden file and tables again:
#   training/hybrid/run.sh DATA_DIR LANGUAGES_DIR WORK_DIR PYTHON
set -eu
data=$(cd "${1:?usage: training/hybrid/run.sh DATA_DIR LANGUAGES_DIR WORK_DIR PYTHON}" && pwd)
languages=$(cd "${2:?}" && pwd)
mkdir -p "${3:?}" && work=$(cd "$3" && pwd)
python=${4:?}
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
cd "$(dirname "$0")/../.."
here=training/hybrid
dump() { cargo run --quiet --release -p training --bin dump_text -- "$@"; }

"$python" $here/contrast.py
for set in train dev devtest; do dump "$data/text_$set.jsonl.gz" "$work/text_$set.jsonl"; done
for set in train test; do dump training/text/contrast/$set.jsonl "$work/contrast_$set.jsonl"; done
for set in train dev test; do dump $here/contrast/$set.jsonl "$work/hybrid_$set.jsonl"; done
dump $here/contrast/special.jsonl "$work/special.jsonl"
dump training/text/handwritten.tsv "$work/handwritten.jsonl"
# Native weights that have not met the contrast rows kept back, to fit the combination on those rows.
mkdir -p "$work/trial"
cargo run --quiet --release -p training --bin train_text -- "$data" "$languages" --trial --out "$work/trial"
dump --weights "$work/trial" training/text/contrast/train.jsonl "$work/contrast_trial.all"
grep '"kept":true' "$work/contrast_trial.all" > "$work/contrast_trial.jsonl"

"$python" $here/train.py "$work" "$work/run" --hold-back --steps 3460 --cool 1000 --warm 100 --tokens 1024 --limit 64
"$python" $here/score.py "$work/run/model.pt" "$work" "$work/scores" \
    text_dev contrast_trial hybrid_dev contrast_test hybrid_test text_devtest
"$python" $here/fit.py "$work" "$work/scores" "$work/fit.json"
"$python" $here/export.py "$work/run/model.pt" "$work" "$work/fit.json" \
    models/gavel-text-hybrid-1.0.0.safetensors models/gavel-text-hybrid-1.0.0.golden.jsonl
"$python" $here/evaluate.py "$work" "$work/scores" "$work/fit.json" models/gavel-text-hybrid-1.0.0.md
