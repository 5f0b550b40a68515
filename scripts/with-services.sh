#!/usr/bin/env bash
# Runs a command with a PostgreSQL and a Redis to test against: scripts/with-services.sh COMMAND [ARGUMENT...]
# Uses those on their usual local ports when they answer and PostgreSQL lets us create databases; PGHOST, PGPORT, PGUSER
# and PGPASSWORD are tried first. Otherwise it starts throw-away ones on free ports, and removes them when the command
# ends. GAVEL_TEST_POSTGRES_URL and GAVEL_TEST_REDIS_URL tell the command where they are; set beforehand, they are used
# as they are. It refuses to touch any database of a PostgreSQL that it did not start: that is left to the command.
# Unless TMPDIR is set, temporary files are in memory where there is room: each test has a database of many files.
set -euo pipefail

[ $# -gt 0 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
scripts=$(dirname "$(readlink -f "$0")")
work='' redis='' command=''

# In kilobytes.
room_in_memory=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "${room_in_memory:-0}" -gt 6000000 ]; then
    export TMPDIR=/dev/shm
fi

# shellcheck disable=SC2317 # Called by the trap.
clean_up() {
    if [ -n "$command" ] && kill -TERM -- "-$command" 2>/dev/null; then wait "$command" || true; fi
    [ -z "$redis" ] || kill -TERM "$redis" 2>/dev/null || true
    [ -n "$work" ] || return 0
    [ ! -d "$work/postgres" ] || "$scripts/postgres.sh" stop "$work/postgres" || true
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

make_work() {
    [ -n "$work" ] || work=$(mktemp -d "${TMPDIR:-/tmp}/gavel-services.XXXXXX")
    chmod 711 "$work" # The server's user must reach its directory below.
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

quote() {
    python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1], safe=""))' "$1"
}

may_create_databases() {
    local sql="SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
    [ "$(PGCONNECT_TIMEOUT=3 psql --no-psqlrc --no-password -Atc "$sql" "$1" 2>/dev/null </dev/null)" = t ]
}

find_postgres() {
    local url user urls=()
    if [ -n "${PGHOST:-}" ]; then
        user="$(quote "${PGUSER:-postgres}"):$(quote "${PGPASSWORD:-}")"
        urls+=("postgres://$user@$(quote "$PGHOST"):${PGPORT:-5432}/postgres")
    fi
    urls+=(postgres://postgres@127.0.0.1:5432/postgres postgres://postgres:postgres@127.0.0.1:5432/postgres)
    for url in "${urls[@]}"; do
        if may_create_databases "$url"; then
            echo "$url"
            return
        fi
    done
    return 1
}

# Whether a Redis that wants no password answers on a local port.
redis_answers() {
    local answer=''
    { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
    if printf 'PING\r\n' >&3; then read -r -t 2 answer <&3 || true; fi
    exec 3>&-
    [ "${answer%$'\r'}" = +PONG ]
}

start_redis() {
    local port
    port=$(free_port)
    make_work
    redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" \
        --logfile "$work/redis.log" </dev/null &
    redis=$!
    for _ in $(seq 100); do
        if redis_answers "$port"; then
            GAVEL_TEST_REDIS_URL="redis://127.0.0.1:$port"
            return
        fi
        sleep 0.05
    done
    tail -n 20 "$work/redis.log" >&2
    exit 1
}

# The server's programs are needed though a server answers: some tests kill a server, and start their own for that.
"$scripts/require.sh" initdb:postgresql psql:postgresql-client pgrep:procps

if [ -z "${GAVEL_TEST_POSTGRES_URL:-}" ]; then
    GAVEL_TEST_POSTGRES_URL=$(find_postgres) || {
        make_work
        GAVEL_TEST_POSTGRES_URL=$("$scripts/postgres.sh" start "$work/postgres" "$(free_port)")
    }
fi
if [ -z "${GAVEL_TEST_REDIS_URL:-}" ]; then
    if redis_answers 6379; then
        GAVEL_TEST_REDIS_URL=redis://127.0.0.1:6379
    else
        "$scripts/require.sh" redis-server:redis-server
        start_redis
    fi
fi
export GAVEL_TEST_POSTGRES_URL GAVEL_TEST_REDIS_URL
echo "PostgreSQL at ${GAVEL_TEST_POSTGRES_URL##*@}, Redis at ${GAVEL_TEST_REDIS_URL##*[@/]}" >&2

# In a process group of its own, so that it can be ended with all its children when we are.
set -m
"$@" </dev/null &
command=$!
set +m
status=0
wait "$command" || status=$?
command=''
exit "$status"
