#!/usr/bin/env bash
# Trains from this pack on one GPU for MINUTES (6.5) and writes to OUT: the state file in parts of 15 MiB (join them
# with `cat state.npz.* > state.npz`), tables of `choose` with zero-shot as first column, and the log.
# `DEVICE=cpu EXTRA="--steps 50 --batch 1024"` tries it on CPU.
set -euo pipefail
cd "$(dirname "$0")"
: "${OUT:?}" "${DEVICE:=cuda}" "${MINUTES:=6.5}" "${EXTRA:=}"
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
SIZES="--workers 12 --batch 32768 --lr 2e-4 --head 3 --warm 2000000"
[ "$DEVICE" = cpu ] && SIZES=""
FROM=""
[ -f state.npz ] && FROM="--from state.npz"
RUN=$(mktemp -d)
run() { python3 -m "multilingual.$1" "${@:2}" --base base.npz; }
python3 -m multilingual.unpack .
run evaluate choose.npz --device "$DEVICE" --keep "$RUN/zero.json" >/dev/null
# shellcheck disable=SC2086
run train rows.npz --device "$DEVICE" --minutes "$MINUTES" --decay 0.4 --out "$RUN/run.pt" \
    $FROM $SIZES $EXTRA 2>&1 | tee "$OUT/train.log"
run export_state "$RUN/run.pt" "$RUN/state.npz" --averaged
split -b 15m -d "$RUN/state.npz" "$OUT/state.npz."
run evaluate choose.npz --device "$DEVICE" --state "$RUN/state.npz" \
    --beside zero-shot="$RUN/zero.json" --out "$OUT/choose.md"
rm -r "$RUN"
