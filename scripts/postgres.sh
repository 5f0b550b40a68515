#!/usr/bin/env bash
# A throw-away PostgreSQL server of one's own, as root or not:
#   postgres.sh start DIR PORT   starts it on 127.0.0.1:PORT and prints its URL; makes DIR a cluster when it is none yet
#   postgres.sh kill DIR         ends it as a power cut would: SIGKILL to the postmaster and all its children
#   postgres.sh stop DIR         ends it in good order; no error when it does not run
# fsync stays on, so that what was committed before a kill is there after the next start. Anybody on this machine may
# connect without a password: it refuses to listen anywhere but on the loopback address, and is for tests only.
set -euo pipefail

usage() {
    sed -n '3,5s/^#   //p' "$0" >&2
    exit 2
}

# The directory of the server's programs, newest version first; Debian keeps them out of PATH.
find_bin() {
    local initdb
    initdb=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
    [ -x "$initdb" ] || initdb=$(command -v initdb) || {
        echo "no PostgreSQL server found; on Debian: apt-get install postgresql" >&2
        exit 1
    }
    dirname "$(readlink -f "$initdb")"
}

# PostgreSQL refuses to run as root: then it runs as the user that comes with its Debian package.
as_server_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
    else
        "$@"
    fi
}

make_cluster() {
    mkdir -p "$dir"
    [ "$(id -u)" -ne 0 ] || chown postgres: "$dir"
    as_server_user "$bin/initdb" --pgdata="$dir" --username=postgres --auth=trust --encoding=UTF8 --locale=C \
        --no-sync >/dev/null
    cat >>"$dir/postgresql.conf" <<-CONF
		listen_addresses = '127.0.0.1'
		unix_socket_directories = ''
		max_connections = 200
		fsync = on
	CONF
}

start() {
    local port=$1
    [ -s "$dir/PG_VERSION" ] || make_cluster
    if ! as_server_user "$bin/pg_ctl" start --pgdata="$dir" --options="-p $port" --log="$dir/server.log" \
        --wait --timeout=60 --silent </dev/null >/dev/null; then
        tail -n 20 "$dir/server.log" >&2 || true
        exit 1
    fi
    echo "postgres://postgres@127.0.0.1:$port/postgres"
}

kill_all() {
    local postmaster processes
    postmaster=$(head -n 1 "$dir/postmaster.pid" 2>/dev/null) || { echo "not running: $dir" >&2; exit 1; }
    # Stopped first, so that it starts no child that the list lacks.
    kill -STOP "$postmaster"
    mapfile -t processes < <(echo "$postmaster"; pgrep --parent "$postmaster")
    kill -KILL "${processes[@]}" 2>/dev/null || true
    for _ in $(seq 100); do
        if ! ps -o stat= -p "${processes[*]}" | grep -qv '^Z'; then
            # Where nothing reaps orphans, as in some containers, the pid lives on and would bar the next start.
            rm -f "$dir/postmaster.pid"
            return
        fi
        sleep 0.05
    done
    echo "still there 5 s after SIGKILL: ${processes[*]}" >&2
    exit 1
}

stop() {
    as_server_user "$bin/pg_ctl" status --pgdata="$dir" >/dev/null || return 0
    as_server_user "$bin/pg_ctl" stop --pgdata="$dir" --mode=fast --wait --silent >/dev/null
}

[ $# -ge 2 ] || usage
dir=$(readlink -m "$2")
cd / # A directory that the server's user may read.
case "$1 $#" in
    "start 3") bin=$(find_bin) && start "$3" ;;
    "kill 2") kill_all ;;
    "stop 2") bin=$(find_bin) && stop ;;
    *) usage ;;
esac
