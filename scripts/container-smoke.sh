#!/usr/bin/env bash
# Starts an image as docs/deploy.md says, read-only and without rights, and asks it for a verdict.
# Usage: scripts/container-smoke.sh IMAGE
set -euo pipefail
image=$1

container=$(docker run --detach --read-only --cap-drop ALL --security-opt no-new-privileges:true \
    --tmpfs /data:uid=10001,gid=10001,mode=0700 --publish 127.0.0.1::8080 "$image")
trap 'docker rm --force "$container" >/dev/null' EXIT
url="http://$(docker port "$container" 8080/tcp | head -n 1)"

for _ in $(seq 60); do
    ready=$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/readyz" || true)
    [ "$ready" != 200 ] || break
    sleep 1
done
if [ "$ready" != 200 ]; then
    docker logs "$container" >&2
    echo "$image was not ready within 60 s" >&2
    exit 1
fi

docker exec "$container" gavel account create --email smoke@example.com --credits 10 --json >/dev/null
verdict=$(docker exec "$container" gavel moderate text "free nitro, claim it at dlscord-gift.com/nitro" --json)
echo "$verdict"
python3 -c 'import json, sys; sys.exit(json.loads(sys.argv[1])["action"] != "ban")' "$verdict"
[ "$(docker exec "$container" id -u)" = 10001 ]
size=$(docker image inspect --format '{{.Size}}' "$image")
echo "$image: ready, answers, runs as 10001, $((size / 1000000)) MB" >&2
