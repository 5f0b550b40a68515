#!/usr/bin/env bash
# Makes the hybrid model's weights, golden file and tables again:
#   training/hybrid/run.sh DATA_DIR LANGUAGES_DIR MODELS_DIR WORK_DIR PYTHON VERSION
set -euo pipefail
usage="usage: training/hybrid/run.sh DATA_DIR LANGUAGES_DIR MODELS_DIR WORK_DIR PYTHON VERSION"
data=$(cd "${1:?$usage}" && pwd) languages=$(cd "${2:?$usage}" && pwd) installed=$(cd "${3:?$usage}" && pwd)
mkdir -p "${4:?$usage}" && work=$(cd "$4" && pwd)
python=${5:?$usage} version=${6:?$usage}
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
cd "$(dirname "$0")/../.."
scripts/contrast.sh
here=training/hybrid
dump() { cargo run --quiet --release -p training --bin dump_text -- "$@"; }

dump "$data/text_train.jsonl.gz" "$work/text_train.jsonl"
dump --sources dyn21_en,ken20_en "$languages/text_train.jsonl.gz" "$work/hate.jsonl"
for set in train test; do dump training/text/contrast/$set.jsonl "$work/contrast_$set.jsonl"; done
for set in train test; do dump $here/contrast/$set.jsonl "$work/hybrid_$set.jsonl"; done
dump $here/contrast/special.jsonl "$work/special.jsonl"
dump training/text/handwritten.tsv "$work/handwritten.jsonl"

git show 7806c105:models/gavel-text-hybrid-1.8.0.safetensors > "$work/1.8.0.safetensors"
"$python" $here/train.py "$work" "$work/run" --hold-back --start "$work/1.8.0.safetensors" \
    --steps 800 --cool 650 --warm 40 --tokens 1024 --limit 80 --encoder-rate 8e-5 --rate 6e-4 --blend .3 \
    --seed 20261129
model=models/gavel-text-hybrid-$version
"$python" $here/export.py "$work/run/model.pt" "$model.safetensors"
"$python" $here/golden.py "$model.safetensors" "$work" "$model.golden.jsonl"
$here/refit.sh "$data" "$installed" "$work" "$python" "$version"
