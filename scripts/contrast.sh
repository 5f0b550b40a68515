#!/usr/bin/env bash
# Builds the contrast rows that training, tests and measurements read, unless they are there. They are not in the
# repository, because templates beside them give the same bytes in a quarter of a minute; their hashes are. After a
# change of templates, --pin builds them and records the new hashes. Usage: scripts/contrast.sh [--pin]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
pinned=training/contrast.sha256
files=(training/{text,hybrid}/contrast/{train,test}.jsonl training/hybrid/contrast/dev.jsonl)

build() {
    python3 training/text/contrast/build.py >/dev/null
    python3 training/hybrid/contrast.py >/dev/null
}

if [ "${1:-}" = --pin ]; then
    build
    sha256sum "${files[@]}" >"$pinned"
    exit
fi
! sha256sum --check --status "$pinned" 2>/dev/null || exit 0
build
sha256sum --check --quiet "$pinned" || {
    echo "the contrast rows differ from $pinned; scripts/contrast.sh --pin records them after a change of templates" >&2
    exit 1
}
