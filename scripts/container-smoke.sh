#!/usr/bin/env bash
# Starts an image as docs/deploy.md says, on a read-only root and without rights, and checks that it becomes healthy,
# answers, and stops when it is told to. An image without the fetched models (--slim) has at most 150 MB; another one is
# also asked about a picture and a question. Uses docker or podman. Usage: scripts/container-smoke.sh [--slim] IMAGE
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
slim=
[ "${1:-}" != --slim ] || { slim=1 && shift; }
image=$1
if docker info >/dev/null 2>&1; then engine=docker; else engine=podman; fi

fail() {
    "$engine" logs "$container" >&2
    echo "$image: $1" >&2
    exit 1
}

# As an orchestrator sees it. Podman leaves the checks themselves to systemd, which need not be there.
healthy() {
    if [ "$engine" = podman ]; then
        podman healthcheck run "$container" >/dev/null 2>&1
    else
        [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]
    fi
}

post() {
    curl --silent --show-error --fail-with-body "$url$1" --header "Authorization: Bearer $key" "${@:2}"
}

# says JSON EXPRESSION: whether the Python expression is true of the answer.
says() {
    python3 -c 'import json, sys; answer = json.loads(sys.argv[1]); sys.exit(not eval(sys.argv[2]))' "$1" "$2" \
        || fail "unexpected answer: $1"
}

container=$("$engine" run --detach --read-only --cap-drop ALL --security-opt no-new-privileges \
    --publish 127.0.0.1::8080 "$image")
trap '"$engine" rm --force --volumes "$container" >/dev/null' EXIT
for _ in $(seq 60); do
    healthy && break
    sleep 1
done
healthy || fail "not healthy within 60 s"
url="http://$("$engine" port "$container" 8080/tcp | head -n 1)"

user=$("$engine" inspect --format '{{.Config.User}}' "$container")
[ "$user" = 10001:10001 ] || fail "runs as $user, not as 10001"
! "$engine" exec "$container" sh -c true 2>/dev/null || fail "has a shell"

account=$("$engine" exec "$container" gavel account create --email smoke@example.com --credits 10 --json)
key=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["api_key"])' "$account")
verdict=$(post /api/v1/moderate/text --json '{"content": "free nitro, claim it at dlscord-gift.com/nitro"}')
echo "$verdict"
says "$verdict" 'answer["action"] == "ban"'
if [ -z "$slim" ]; then
    "$engine" exec "$container" gavel models verify >/dev/null || fail "a model is missing or altered"
    picture=$(post /api/v1/moderate/image --form image=@tests/fixtures/images/rgb.jpg)
    says "$picture" 'answer["data"]["is_flagged"] is False'
    question='{"state": "I want my money back", "instructions": {"refund": "Does the customer ask for a refund?"}}'
    says "$(post /api/v1/inference --json "$question")" 'answer["answers"]["refund"]'
fi

"$engine" stop --time 40 "$container" >/dev/null
code=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
[ "$code" = 0 ] || fail "ended with $code when it was stopped"
megabytes=$(($("$engine" export "$container" | wc -c) / 1000000))
[ -z "$slim" ] || [ "$megabytes" -le 150 ] || fail "has $megabytes MB, more than 150"
echo "$image: healthy, answers, runs as $user without a shell, stops; $megabytes MB" >&2
