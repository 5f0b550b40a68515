#!/usr/bin/env bash
# Fits how the hybrid model's two halves are combined, after a change of either, and measures it:
#   training/hybrid/refit.sh DATA_DIR MODELS_DIR WORK_DIR PYTHON VERSION
# Writes models/gavel-text-hybrid.fit.json, which names VERSION; the weight file stays.
set -euo pipefail
usage="usage: training/hybrid/refit.sh DATA_DIR MODELS_DIR WORK_DIR PYTHON VERSION"
data=$(cd "${1:?$usage}" && pwd) installed=$(cd "${2:?$usage}" && pwd)
mkdir -p "${3:?$usage}" && work=$(cd "$3" && pwd)
python=${4:?$usage} version=${5:?$usage}
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
cd "$(dirname "$0")/../.."
scripts/contrast.sh
here=training/hybrid
model=models/gavel-text-hybrid-1.9.0
fit=models/gavel-text-hybrid.fit.json
run() { cargo run --quiet --release -p training --bin "$@"; }
dump() { run dump_text -- --hybrid "$installed" "$@"; }

dump --kept training/text/contrast/train.jsonl "$work/contrast_kept.jsonl"
dump "$data/text_dev.jsonl.gz" "$work/text_dev.jsonl"
dump $here/contrast/dev.jsonl "$work/hybrid_dev.jsonl"
# Short lines in other languages that this encoder reads too would lower its weight in English. The fit predicts more
# hate than there is in dev.
grep '"lang":"en"' "$work/contrast_kept.jsonl" > "$work/english_kept.jsonl"
"$python" $here/fit.py "$work/fit.json" "$work/text_dev.jsonl" "$work/english_kept.jsonl" "$work/hybrid_dev.jsonl" \
    --rarer hate=.2
"$python" $here/renew.py fit "$work/fit.json" "$version" "$fit"

"$python" $here/renew.py rows "$model.golden.jsonl" "$work/golden.jsonl"
dump "$work/golden.jsonl" "$work/golden_dumped.jsonl"
"$python" $here/renew.py golden "$model.golden.jsonl" "$model.safetensors" "$fit" "$work/golden_dumped.jsonl"

dump "$data/text_devtest.jsonl.gz" "$work/text_devtest.jsonl"
dump training/text/contrast/test.jsonl "$work/contrast_test.jsonl"
dump $here/contrast/test.jsonl "$work/hybrid_test.jsonl"
"$python" $here/evaluate.py "$work" "$work/fit.json" "$model.md"
run eval_text -- "$data" --hybrid "$installed"
