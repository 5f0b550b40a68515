#!/usr/bin/env bash
# Starts compose.yaml with the image `gavel`, which must be there, asks it for a verdict and its worker for a batch, and
# removes it with its volumes. Uses docker compose, or the command in COMPOSE, such as podman-compose.
# Usage: scripts/compose-smoke.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
read -ra compose <<<"${COMPOSE:-docker compose}"
compose+=(--project-name gavel-smoke)
POSTGRES_PASSWORD=$(python3 -c 'import secrets; print(secrets.token_hex(24))')
export POSTGRES_PASSWORD
url=http://127.0.0.1:8080

post() {
    curl --silent --show-error --fail-with-body "$url$1" --header "Authorization: Bearer $key" --json "$2"
}

# field NAME <JSON
field() {
    python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

trap '"${compose[@]}" down --volumes >/dev/null 2>&1' EXIT
"${compose[@]}" up --detach
for _ in $(seq 120); do
    [ "$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/readyz")" != 200 ] || break
    sleep 1
done
key=$("${compose[@]}" exec -T gavel gavel account create --email smoke@example.com --credits 10 --json | field api_key)
action=$(post /api/v1/moderate/text '{"content": "free nitro, claim it at dlscord-gift.com/nitro"}' | field action)
# The API only takes batches: a worker runs them.
item='{"custom_id": "1", "url": "/api/v1/moderate/text", "body": {"content": "hello"}}'
batch=$(post /api/v1/batches "{\"items\": [$item]}" | field id)
for _ in $(seq 60); do
    state=$(curl --silent "$url/api/v1/batches/$batch" --header "Authorization: Bearer $key" | field status)
    [ "$state" != completed ] || break
    sleep 1
done
if [ "$action $state" != "ban completed" ]; then
    "${compose[@]}" logs >&2
    echo "compose: the verdict is $action, the batch $state" >&2
    exit 1
fi
echo "compose: Gavel, a worker, PostgreSQL and Redis start; the verdict is $action, the batch $state" >&2
