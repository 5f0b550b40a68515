#!/usr/bin/env bash
# Makes the multilingual model's weights, golden file and tables again:
#   training/hybrid/run_multilingual.sh LANGUAGES_DIR DATA_DIR MODELS_DIR WORK_DIR PYTHON
set -euo pipefail
usage="usage: training/hybrid/run_multilingual.sh LANGUAGES_DIR DATA_DIR MODELS_DIR WORK_DIR PYTHON"
languages=$(cd "${1:?$usage}" && pwd) data=$(cd "${2:?$usage}" && pwd) installed=$(cd "${3:?$usage}" && pwd)
mkdir -p "${4:?$usage}" && work=$(cd "$4" && pwd)
python=${5:?$usage}
version=1.3.0
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
cd "$(dirname "$0")/../.."
scripts/contrast.sh
here=training/hybrid
model=models/gavel-text-multilingual-$version
run() { cargo run --quiet --release -p training --bin "$@"; }
dump() { run dump_text -- --multilingual "$@"; }
dump_all() { dump --hybrid "$installed" --multilingual-weights "$model.safetensors" "$@"; }

dump "$languages/text_train.jsonl.gz" "$work/languages.jsonl"
dump --sources dyn21_en,ken20_en "$languages/text_train.jsonl.gz" "$work/hate.jsonl"
dump "$data/text_train.jsonl.gz" "$work/text_train.jsonl"
for set in train test; do dump training/text/contrast/$set.jsonl "$work/contrast_$set.jsonl"; done
dump $here/contrast/train.jsonl "$work/hybrid_train.jsonl"
dump $here/contrast/special.jsonl "$work/special.jsonl"
dump training/text/handwritten.tsv "$work/handwritten.jsonl"

base=$work/base
git show 7806c105:models/gavel-text-multilingual-1.2.0.safetensors > "$work/1.2.0.safetensors"
"$python" $here/multilingual.py "$work/1.2.0.safetensors" "$base"
"$python" $here/train.py "$work" "$work/run" --multilingual "$base" --hold-back --start "$work/1.2.0.safetensors" \
    --steps 560 --cool 460 --warm 40 --tokens 1536 --limit 80 --first-layer 2 \
    --encoder-rate 1e-4 --rate 8e-4 --seed 20261129
"$python" $here/export.py "$work/run/model.pt" "$model.safetensors" --multilingual "$base"
"$python" $here/golden.py "$model.safetensors" "$work" "$model.golden.jsonl" --multilingual "$base"

# What English rows say is of the other encoder, and requests to an assistant (multijail) are labelled by other
# guidelines.
others() { grep -v -e '"lang":"en"' -e '"src":"multijail"' "$1" > "$2"; }
dump_all "$languages/text_dev.jsonl.gz" "$work/all_dev.jsonl"
dump_all --kept training/text/contrast/train.jsonl "$work/all_kept.jsonl"
others "$work/all_dev.jsonl" "$work/languages_dev.jsonl"
others "$work/all_kept.jsonl" "$work/languages_kept.jsonl"
"$python" $here/fit.py "$work/fit.json" "$work/languages_dev.jsonl" "$work/languages_kept.jsonl" --rarer 1 --languages
"$python" $here/renew.py fit "$work/fit.json" "$version" models/gavel-text-multilingual.fit.json

"$python" $here/renew.py rows "$model.golden.jsonl" "$work/golden.jsonl"
dump_all "$work/golden.jsonl" "$work/golden_dumped.jsonl"
"$python" $here/renew.py golden "$model.golden.jsonl" "$model.safetensors" models/gavel-text-multilingual.fit.json \
    "$work/golden_dumped.jsonl"

# Its SHA-256 belongs in engine/src/text/hybrid/weights.rs. The card has the native model's figures in brackets.
sha256sum "$model.safetensors"
mkdir -p "$work/native"
run eval_languages -- "$languages" --figures "$work/native"
run eval_languages -- "$languages" --hybrid "$installed" --before "$work/native"
