#!/usr/bin/env bash
# Charged requests a second through HTTP, one hot account, 64 connections: Gavel beside the same work with a transaction
# for each request, and beside a bare handler with the same group charge. Runs the three in turn, three rounds.
# Usage: scripts/with-services.sh bench/charges.sh [SECONDS]        (needs wrk)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
seconds=${1:-10}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
cargo build --quiet --release --workspace --bin bench
cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
wrk.body = '{"content":"anyone up for a round tonight? the new map is out and we still need two more for the team"}'
done = function(summary, latency)
    local errors = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    io.write(string.format("RESULT %.0f %.1f %.1f %d\n",
        summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, errors))
end
LUA
load() { # SECONDS
    wrk -t1 -c64 -d"$1s" -s "$work/post.lua" "http://$address/api/v1/moderate/text"
}
url() { case $1 in postgres) psql -qAt "$GAVEL_TEST_POSTGRES_URL" -c "CREATE DATABASE $2" >&2
                             echo "${GAVEL_TEST_POSTGRES_URL%/*}/$2" ;;
                   sqlite) echo "sqlite://$work/$2.sqlite" ;; esac; }
echo '| database | server | round | requests/s | p50 ms | p99 ms | errors | peak RSS MB |'
echo '|---|---|---|---|---|---|---|---|'
for database in postgres sqlite; do
    for kind in gavel naive bare; do
        declare "at_${database}_$kind=$(url "$database" "bench_${kind}_$$")"
    done
    for round in 1 2 3; do
        for kind in gavel naive bare; do
            name="at_${database}_$kind"
            "${CARGO_TARGET_DIR:-target}/release/bench" charges "$kind" "${!name}" >"$work/address" & server=$!
            while [ ! -s "$work/address" ]; do sleep 0.05; done
            read -r address KEY <"$work/address"
            export KEY
            load 2 >/dev/null
            result=$(load "$seconds" | sed -n 's/^RESULT //p')
            rss=$(awk '/VmHWM/ {printf "%.0f", $2 / 1024}' "/proc/$server/status")
            kill "$server"; wait "$server" 2>/dev/null || true
            : >"$work/address"
            read -r rate p50 p99 errors <<<"$result"
            echo "| $database | $kind | $round | $rate | $p50 | $p99 | $errors | $rss |"
        done
    done
done
