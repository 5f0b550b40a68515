#!/usr/bin/env bash
# Makes sure that commands are there: scripts/require.sh COMMAND:DEBIAN-PACKAGE...
# Installs what is missing through apt-get when it runs as root on Debian. Otherwise it names the missing packages and
# exits 1. It refuses to use sudo, and changes nothing when nothing is missing.
set -euo pipefail

# Debian keeps the PostgreSQL server's programs out of PATH.
for bin in /usr/lib/postgresql/*/bin; do PATH="$PATH:$bin"; done

packages=()
for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || packages+=("${pair##*:}")
done
[ ${#packages[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "missing Debian packages: ${packages[*]}" >&2
    echo "install them as root: apt-get install ${packages[*]}" >&2
    exit 1
fi

echo "installing Debian packages: ${packages[*]}" >&2
install=(apt-get install --yes --quiet --no-install-recommends "${packages[@]}")
export DEBIAN_FRONTEND=noninteractive
"${install[@]}" </dev/null || { apt-get update --quiet && "${install[@]}" </dev/null; } || exit 1
