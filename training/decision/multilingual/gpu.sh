#!/usr/bin/env bash
# Trains from this pack on one GPU for MINUTES (8.3), a network whose questions read the state from layer 6 on;
# SPLITS="6 3" trains two side by side. Writes to OUT, of each, the state file in parts of 15 MiB (join them with
# `cat state-6.npz.* > state-6.npz`), tables of `choose`, and the log.
# `DEVICE=cpu EXTRA="--steps 50 --batch 1024"` tries it on CPU.
set -euo pipefail
cd "$(dirname "$0")"
: "${OUT:?}" "${DEVICE:=cuda}" "${MINUTES:=8.3}" "${EXTRA:=}" "${SPLITS:=6}"
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
SIZES="--workers 14 --batch 49152 --lr 3e-4 --head 2 --warm 4000000 --dropout .05 --compile --choose choose.npz"
[ "$DEVICE" = cpu ] && SIZES=""
RUN=$(mktemp -d)
run() { python3 -m "multilingual.$1" "${@:2}" --base base.npz; }
one() {
    # shellcheck disable=SC2086
    run train rows.npz --device "$DEVICE" --minutes "$MINUTES" --decay 0.8 --round-from .9 --split "$1" \
        --out "$RUN/$1.pt" $FROM $SIZES $EXTRA > "$OUT/train-$1.log" 2>&1
    run export_state "$RUN/$1.pt" "$RUN/$1.npz" --averaged
    split -b 15m -d "$RUN/$1.npz" "$OUT/state-$1.npz."
    run evaluate choose.npz --device "$DEVICE" --state "$RUN/$1.npz" --out "$OUT/choose-$1.md" > /dev/null
}
python3 -m multilingual.unpack .
FROM=""
[ -f state.npz ] && FROM="--from state.npz"
for split in $SPLITS; do one "$split" & done
wait
tail -n 25 "$OUT"/train-*.log
rm -r "$RUN"
