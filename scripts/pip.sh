#!/usr/bin/env bash
# Installs Python packages, pinned by hash, into a folder of their own, without any that are not listed. Does nothing
# when they are there.
# Usage: scripts/pip.sh REQUIREMENTS FOLDER
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
requirements=$1 folder=$2

# A file in the folder says what it was installed from; compiled wheels belong to one version of Python.
pinned="$(python3 -VV) $(sha256sum "$requirements")"
if [ "$(cat "$folder/installed" 2>/dev/null)" != "$pinned" ]; then
    scripts/require.sh pip3:python3-pip
    rm -rf "$folder"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-warn-conflicts \
        --only-binary :all: --no-deps --require-hashes --requirement "$requirements" --target "$folder"
    echo "$pinned" >"$folder/installed"
fi
